/** A picture of one pixel, in hex. */
const PIXEL =
  '89504E470D0A1A0A0000000D49484452000000010000000108060000001F15C4890000000D49444154789C6364F8CF500F0003060180FC8EEDA80000000049454E44AE426082';

/** Tables with a column a line, as mysqldump writes them. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  agency: ['agencyid int', 'name text', 'account_id int', 'PRIMARY KEY (`agencyid`)'],
  affiliates: ['affiliateid int', 'agencyid int', 'name text', 'website text'],
  acls: ['bannerid int', 'logical text', 'type text', 'comparison text', 'data text', 'executionorder int'],
  acls_channel: ['channelid int', 'logical text', 'type text', 'comparison text', 'data text', 'executionorder int'],
  ad_zone_assoc: ['zone_id int', 'ad_id int'],
  banners: [
    ...['bannerid int', 'campaignid int', 'contenttype text', 'storagetype text', 'filename text', 'imageurl text', 'htmltemplate text'],
    ...['width int', 'height int', 'weight int', 'url text', 'alt text', 'bannertext text', 'description text', 'status int'],
  ],
  campaigns: [
    ...['campaignid int', 'campaignname text', 'clientid int', 'views int', 'clicks int', 'conversions int', 'priority int', 'weight int'],
    ...['target_impression int', 'target_click int', 'target_conversion int', 'revenue decimal', 'revenue_type int', 'status int'],
  ],
  clients: ['clientid int', 'agencyid int', 'clientname text', 'contact text', 'email text'],
  zones: ['zoneid int', 'affiliateid int', 'zonename text', 'delivery int', 'width int', 'height int'],
  images: ['filename text', 'contents longblob'],
  data_summary_ad_hourly: ['date_time datetime', 'ad_id int', 'zone_id int', 'impressions int', 'clicks int'],
};
const ROWS: Readonly<Record<string, string>> = {
  agency: `(2,'Gazette \\'group\\'; it''s',7)`,
  affiliates: `(3,2,'The Gazette','https://www.gazette.example/')`,
  acls: `(100,'and','deliveryLimitations:Geo:Country','=~','DE,AT',0)`,
  ad_zone_assoc: '(1,100),(1,101),(2,100)',
  banners: `(100,10,'png','sql','boots.png','','',300,250,1,'https://boots.example','Boots','','Boots',0),
(101,10,'html','html','','','<p>Line\\nand; quote\\'</p>',300,250,1,'','','','Second',0)`,
  campaigns: `(10,'House',5,-1,-1,-1,0,1,0,0,0,4.5000,1,0)`,
  clients: `(5,2,'Boots','Ada','ada@boots.example')`,
  zones: `(1,3,'Top',0,300,250),(2,3,'Popup',2,300,250)`,
  images: `('boots.png',0x${PIXEL})`,
  data_summary_ad_hourly: `('2026-02-01 10:00:00',100,1,120,8),('2026-02-01 23:00:00',100,1,10,1),('2026-02-02 00:00:00',100,1,5,0)`,
};

const create = ([name, columns]: readonly [string, readonly string[]], prefix: string): string =>
  `CREATE TABLE \`${prefix}${name}\` (\n${columns.map((column) => `  ${column.replace(/^(?!PRIMARY)(\w+)/, '`$1`')}`).join(',\n')}\n) COMMENT='a; b';\n`;

/** A dump of mysqldump: an installation of Revive with a campaign of two banners, a zone and a popup. */
export const reviveDump = (prefix = 'rv_'): string =>
  `-- MySQL dump\n/*!40101 SET NAMES utf8mb4 */;\n${Object.entries(TABLES)
    .map((table) => {
      const rows = ROWS[table[0]];
      return (
        create(table, prefix) + (rows === undefined ? '' : `LOCK TABLES x WRITE;\nINSERT INTO \`${prefix}${table[0]}\` VALUES ${rows};\n`)
      );
    })
    .join('')}`;

/** The same of pg_dump. */
export const revivePgDump = (): string =>
  `--\n-- PostgreSQL database dump\n--\nSET client_encoding = 'UTF8';\n${Object.entries(TABLES)
    .map(([name, columns]) => {
      const fields = columns.filter((column) => !column.startsWith('PRIMARY')).map((column) => column.split(' ')[0]!);
      const lines = rowsOf(ROWS[name] ?? '').map((values) => values.map(copied).join('\t'));
      return `CREATE TABLE public.rv_${name} (\n    ${fields.map((field) => `${field} text`).join(',\n    ')}\n);\nCOPY public.rv_${name} (${fields.join(', ')}) FROM stdin;\n${lines.map((line) => `${line}\n`).join('')}\\.\n\n`;
    })
    .join('')}`;

/** Values of `(1,'a'),(2,'b')`, without their quotes. */
const rowsOf = (text: string): readonly (readonly string[])[] =>
  Array.from(text.matchAll(/\(((?:'(?:\\.|''|[^'])*'|[^)'])*)\)/g), ([, row = '']) =>
    Array.from(row.matchAll(/'((?:\\.|''|[^'])*)'|([^,]+)/g), ([, quoted, plain]) =>
      quoted === undefined ? (plain ?? '') : quoted.replaceAll("''", "'").replaceAll("\\'", "'").replaceAll('\\n', '\n'),
    ),
  );

const copied = (value: string): string =>
  value.startsWith('0x') ? `\\\\x${value.slice(2).toLowerCase()}` : value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
