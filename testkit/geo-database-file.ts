/** A value in the data section of the MaxMind DB format 2.0. */
const encode = (value: unknown): Buffer => {
  if (typeof value === 'string') return Buffer.concat([Buffer.from(sized(2, Buffer.byteLength(value))), Buffer.from(value)]);
  if (typeof value === 'number') return Buffer.from([(6 << 5) | 4, 0, 0, value >> 8, value & 255]);
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([Buffer.from(sized(7, entries.length)), ...entries.flatMap(([name, one]) => [encode(name), encode(one)])]);
};
const sized = (type: number, size: number) => (size < 29 ? [(type << 5) | size] : [(type << 5) | 29, size - 29]);

/**
 * A database in the MaxMind DB format 2.0: a tree of one node, so that every address below 8000::
 * (IPv4 included) has the first record, and every other one the second.
 */
export const geoDatabase = (low: object, high: object = low): Buffer => {
  const first = encode(low);
  const toData = 1 + 16;
  const metadata = {
    ...{ node_count: 1, record_size: 24, ip_version: 6, database_type: 'GeoLite2-City', languages: ['en'] },
    ...{ binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1, description: {} },
  };
  const pointer = (at: number) => [at >> 16, (at >> 8) & 255, at & 255];
  return Buffer.concat([
    Buffer.from([...pointer(toData), ...pointer(toData + first.length)]),
    Buffer.alloc(16),
    first,
    encode(high),
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode(metadata),
  ]);
};
