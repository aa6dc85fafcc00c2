#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pyarrow_exchange.py EXCHANGE DIR: the real Arrow library reads our streams and shuffle files, and
we read its streams. EXCHANGE is our side (exchange.cc)."""

import datetime
import decimal
import os
import struct
import subprocess
import sys

import pyarrow as pa
import pyarrow.ipc

D = decimal.Decimal
UTC = datetime.timezone.utc
INTS = pa.list_(pa.field("item", pa.int32()))
PAIR = pa.struct([("x", pa.int32()), ("y", pa.string())])

# The columns of all_types.arrow: type, first and last value; the one between is null.
ALL_TYPES = [
    (pa.bool_(), True, False),
    (pa.int8(), -128, 127),
    (pa.int16(), -32768, 32767),
    (pa.int32(), -2**31, 2**31 - 1),
    (pa.int64(), -2**63, 2**63 - 1),
    (pa.float32(), -0.5, 1.5),
    (pa.float64(), -0.1, 1e300),
    (pa.decimal128(12, 4), D("-1.2345"), D("99999999.9999")),
    (pa.decimal128(38, 10), D("-1e-10"), D(2**100).scaleb(-10, decimal.Context(prec=38))),
    (pa.date32(), datetime.date(1969, 12, 31), datetime.date(2022, 1, 8)),
    (pa.timestamp("us", "UTC"), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
     datetime.datetime(2023, 11, 14, 22, 13, 20, 1, UTC)),
    (pa.duration("ms"), datetime.timedelta(milliseconds=-1),
     datetime.timedelta(days=1, milliseconds=1)),
    (pa.string(), "", "\u00e4"),
    (pa.binary(), b"\0\xff", b""),
    (pa.null(), None, None),
    (INTS, [7, None], [-7]),
    (pa.map_(pa.string(), pa.int32()), [("a", 7), ("b", None)], [("c", -7)]),
    (PAIR, {"x": 7, "y": "a"}, {"x": -7, "y": "c"}),
]


def read(path):
    with pa.ipc.open_stream(path) as reader:
        table = reader.read_all()
    table.validate(full=True)
    return table


def write(path, table, **options):
    with pa.ipc.new_stream(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as out:
        out.write_table(table)
    return path


def expected_table():
    columns = [pa.array([first, None, last], type) for type, first, last in ALL_TYPES]
    return pa.table(columns, names=["c%d" % i for i in range(len(columns))])


def same(exchange, a, b):
    return subprocess.run([exchange, "same", a, b]).returncode


def check_streams(exchange, folder):
    """pyarrow reads ours; we read what it writes of the same values, in its own ways."""
    ours = os.path.join(folder, "all_types.arrow")
    table = read(ours)
    expected = expected_table()
    assert table.schema.types == expected.schema.types, table.schema
    for name in table.column_names:
        assert table[name].to_pylist() == expected[name].to_pylist(), (name, table[name])

    theirs = os.path.join(folder, "theirs.arrow")
    assert same(exchange, ours, write(theirs, expected)) == 0, "values of their own"
    padded = pa.concat_tables([expected, expected, expected]).combine_chunks().slice(3, 3)
    assert same(exchange, ours, write(theirs, padded)) == 0, "slices"
    months = os.path.join(folder, "months.arrow")
    assert same(exchange, months, write(theirs, read(months))) == 0, "intervals of months"

    # Other encodings and units of the same values.
    plain = pa.table({"c0": ["b", None, "a", "b"], "c1": [1, 2, None, 4]})
    encoded = plain.set_column(0, "c0", plain["c0"].dictionary_encode())
    ours = write(os.path.join(folder, "plain.arrow"), plain)
    assert same(exchange, ours, write(theirs, encoded)) == 0, "dictionaries"
    seconds = pa.array([-1, None, 1700000000], pa.timestamp("s", "UTC"))
    ours = write(ours, pa.table({"c0": seconds.cast(pa.timestamp("us", "UTC"))}))
    for unit in ("s", "ms", "us", "ns"):
        moved = pa.table({"c0": seconds.cast(pa.timestamp(unit, "UTC"))})
        assert same(exchange, ours, write(theirs, moved)) == 0, unit

    # What we do not read is refused.
    refused = [
        write(theirs + "0", plain, compression="zstd"),
        write(theirs + "1", pa.table({"c0": pa.array(["a"], pa.large_string())})),
        write(theirs + "2", pa.table({"c0": pa.array([1], pa.uint32())})),
        write(theirs + "3", plain, metadata_version=pa.ipc.MetadataVersion.V4),
    ]
    for path in refused:
        assert same(exchange, path, path) == 2, path


def unframe_snappy(stream):
    """Snappy's framing format, whose chunks alone pyarrow knows."""
    content = b""
    at = 0
    while at < len(stream):
        head = struct.unpack_from("<I", stream, at)[0]
        kind, body = head & 0xFF, stream[at + 4:at + 4 + (head >> 8)]
        at += 4 + len(body)
        if kind == 1:
            content += body[4:]
        elif kind == 0:
            size, shift, i = 0, 0, 4
            while True:
                size |= (body[i] & 0x7F) << shift
                if body[i] < 0x80:
                    break
                shift, i = shift + 7, i + 1
            content += pa.decompress(body[4:], size, codec="snappy", asbytes=True)
    return content


def payload(codec, block):
    if codec == b"NONE":
        return block
    if codec == b"SNAP":
        return unframe_snappy(block)
    name = {b"LZ4_": "lz4", b"ZSTD": "zstd"}[codec]
    return pa.CompressedInputStream(pa.BufferReader(block), name).read()


def check_output(folder, name, tag):
    with open(os.path.join(folder, name + ".index"), "rb") as file:
        index = file.read()
    with open(os.path.join(folder, name + ".data"), "rb") as file:
        data = file.read()
    offsets = struct.unpack(">%dq" % (len(index) // 8), index)
    assert len(offsets) == 8 and offsets[0] == 0 and offsets[-1] == len(data), offsets
    rows = 0
    for start, end in zip(offsets, offsets[1:]):
        numbers = []
        while start < end:
            length, fields, codec = struct.unpack_from("<QQ4s", data, start)
            assert codec == tag and fields == 2, (codec, fields)
            table = read(pa.BufferReader(payload(codec, data[start + 20:start + 8 + length])))
            numbers += table["c0"].to_pylist()
            assert table["c1"].to_pylist() == ["v%d" % g for g in table["c0"].to_pylist()]
            start += 8 + length
        assert start == end and numbers == sorted(numbers), (start, end)
        rows += len(numbers)
    assert rows == 1000, rows


def main():
    exchange, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    subprocess.run([exchange, "write", folder], check=True)
    check_streams(exchange, folder)
    for name, tag in (("none", b"NONE"), ("lz4", b"LZ4_"), ("zstd", b"ZSTD"), ("snappy", b"SNAP")):
        check_output(folder, name, tag)
    print("pyarrow %s agrees" % pa.__version__)


if __name__ == "__main__":
    main()
