import type { parseArgs } from 'node:util';

export const USAGE = `Bookings in files.

  ads pull  --publisher ID [--output FILE] [--keys]   writes the bookings of a publisher to a file
  ads plan  FILE…                                     says what applying the files would change
  ads apply FILE… [--yes]                             shows the plan, asks, and applies it
  ads diff  FILE…                                     says what differs from the files; exit code 1 if anything does
  ads import revive --from URL                        brings the bookings of Revive Adserver over: see docs/moving-from-revive.md
  ads import csv FILE --publisher ID                  adds the bookings of a spreadsheet, .csv or .xlsx; --template writes one to fill in
  ads import gam FILE --publisher ID                  the same for a report of Google Ad Manager (.csv), or JSON of its API

  --from URL       Revive's database: mysql://user:password@host/name or postgres://…; or a dump of it, .sql or .sql.gz
  --prefix TEXT    of its tables, rv_ by default
  --agency ID      the manager account, where there are several
  --images FOLDER  the folder, or the address, of the images that Revive keeps as files
  --live           without campaigns that have expired
  --name NAME      what keys and placements begin with: another one for a second installation
  --domain, --currency, --time-zone   of the publisher, where the source does not say them
  --output FILE    the bookings file; --report FILE: what could not be carried over (.md or .json)
  --dry-run        writes both files and says what applying would change

  --publisher ID   whose bookings; by default those of the publisher with the key in the file
  --prune          archives what the files do not have
  --keys           gives each record without a key one, made of its name
  --note TEXT      why, for the history; by default the commit of the working directory
  --json           prints what the service answers

ADS_URL names the service (https://ads.example.com), ADS_TOKEN an API token with the role trafficker or administrator.
In files, !env NAME stands for a variable of the environment, !env NAME=VALUE for one with a default, and !file PATH for the
text of a file. Exit codes: 0 done, 1 refused or different (diff), 2 wrong usage.
`;

export const OPTIONS = {
  publisher: { type: 'string' },
  output: { type: 'string', short: 'o' },
  keys: { type: 'boolean', default: false },
  prune: { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
  note: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  // Of `ads import`.
  from: { type: 'string' },
  report: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  name: { type: 'string' },
  prefix: { type: 'string', default: 'rv_' },
  agency: { type: 'string' },
  images: { type: 'string' },
  domain: { type: 'string' },
  currency: { type: 'string', default: 'USD' },
  'time-zone': { type: 'string' },
  live: { type: 'boolean', default: false },
  template: { type: 'boolean', default: false },
} as const;

/** The options of a call. */
export type Values = ReturnType<typeof parseArgs<{ readonly options: typeof OPTIONS }>>['values'];
