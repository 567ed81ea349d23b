"""A seeded workload for both databases: all operations, changes of keys, truncates and DDL."""

import random
from collections.abc import Callable
from typing import Any

from stack.services import PASSWORD, USER, Stack

TABLES = """
create table heartbeat (id int primary key, beats bigint not null);
insert into heartbeat values (1, 0);
create table customers (
    id bigint primary key, name varchar(80) not null, email varchar(120),
    credit decimal(12,2) default 0, joined timestamp null
);
create table orders (
    id bigint primary key, customer_id bigint not null, state varchar(12) not null,
    total decimal(10,2), note text
);
create table order_lines (
    order_id bigint, line int, sku varchar(20) not null, quantity smallint,
    primary key (order_id, line)
);
create table visits (id bigint primary key, page varchar(40) not null);
"""
STATES = ("new", "paid", "sent", "returned")
KEYS = 400


def prepare(stack: Stack) -> None:
    """Make the tables and the connector's user, in databases that have none."""
    root = stack.mariadb.connect(database="").cursor()
    root.execute("create database store")
    root.execute(f"create user '{USER}'@'127.0.0.1' identified by '{PASSWORD}'")
    grants = "select, reload, show databases, replication slave, replication client, binlog monitor"
    root.execute(f"grant {grants} on *.* to '{USER}'@'127.0.0.1'")
    root.execute(f"grant update on store.* to '{USER}'@'127.0.0.1'")
    stack.postgresql.connect("postgres").execute("create database shop")
    postgresql = stack.postgresql.connect()
    postgresql.execute("create schema cafe")
    postgresql.execute("alter database shop set search_path to cafe")
    for connection in (stack.mariadb.connect(), stack.postgresql.connect()):
        cursor = connection.cursor()
        for statement in TABLES.split(";")[:-1]:
            cursor.execute(statement)


class Workload:
    """Random transactions; a seed and the number of steps give the same again."""

    def __init__(self, connection: Any, seed: int) -> None:
        self.connection = connection
        self.chance = random.Random(seed)
        self.has_loyalty = False

    def step(self, transactions: int) -> None:
        """Some transactions of one to ten statements, one in ten of which is rolled back."""
        for _ in range(transactions):
            cursor = self.connection.cursor()
            cursor.execute("begin")
            for _ in range(self.chance.randint(1, 10)):
                self.chance.choice(self.statements())(cursor)
            cursor.execute("rollback" if self.chance.random() < 0.1 else "commit")
        if self.chance.random() < 0.3:
            self.connection.cursor().execute("truncate table visits")

    def alter(self) -> None:
        """A column more, whose default existing rows take; then one with values of its own."""
        cursor = self.connection.cursor()
        cursor.execute("alter table customers add column loyalty int not null default 5")
        cursor.execute("alter table orders drop column note")
        self.has_loyalty = True

    def statements(self) -> list[Callable[[Any], None]]:
        customers = [self.put_customer, self.change_customer, self.remove_customer]
        orders = [self.put_order, self.change_order, self.move_order, self.remove_order]
        return [*customers, *orders, self.put_line, self.put_visit]

    def key(self) -> int:
        return self.chance.randint(1, KEYS)

    def put_customer(self, cursor: Any) -> None:
        key = self.key()
        name, email = f"Zoë O'Neil {key}", self.chance.choice([None, f"z{key}@example.org"])
        credit, joined = self.chance.randint(-(10**9), 10**9) / 100, "2026-01-02 03:04:05"
        cursor.execute("delete from customers where id = %s", (key,))
        cursor.execute(
            "insert into customers (id, name, email, credit, joined) values (%s, %s, %s, %s, %s)",
            (key, name, email, credit, self.chance.choice([None, joined])),
        )

    def change_customer(self, cursor: Any) -> None:
        what = "loyalty = loyalty + 1" if self.has_loyalty else "credit = null"
        cursor.execute(f"update customers set {what} where mod(id, 7) = %s", (self.key() % 7,))

    def remove_customer(self, cursor: Any) -> None:
        cursor.execute("delete from customers where id = %s", (self.key(),))

    def put_order(self, cursor: Any) -> None:
        key = self.key()
        cursor.execute("delete from orders where id = %s", (key,))
        cursor.execute(
            "insert into orders (id, customer_id, state, total) values (%s, %s, 'new', %s)",
            (key, self.key(), self.chance.randint(0, 10**7) / 100),
        )

    def change_order(self, cursor: Any) -> None:
        state = self.chance.choice(STATES)
        cursor.execute("update orders set state = %s where id = %s", (state, self.key()))

    def move_order(self, cursor: Any) -> None:
        """A change of the key, to one that is free: a delete and an insert for Debezium."""
        old, new = self.key(), self.key() + KEYS
        cursor.execute("delete from orders where id = %s", (new,))
        cursor.execute("update orders set id = %s where id = %s", (new, old))

    def remove_order(self, cursor: Any) -> None:
        cursor.execute("delete from orders where id = %s", (self.key(),))

    def put_line(self, cursor: Any) -> None:
        place = (self.key(), self.chance.randint(1, 3))
        cursor.execute("delete from order_lines where order_id = %s and line = %s", place)
        cursor.execute(
            "insert into order_lines values (%s, %s, %s, %s)",
            (*place, f"SKU-{self.key()}", self.chance.choice([None, 1, -3, 32767])),
        )

    def put_visit(self, cursor: Any) -> None:
        key = self.key()
        cursor.execute("delete from visits where id = %s", (key,))
        cursor.execute("insert into visits values (%s, %s)", (key, f"/page/{self.key()}"))
