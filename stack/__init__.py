"""Live sources on this machine: MariaDB and PostgreSQL, Debezium in Kafka Connect, and Kafka."""
