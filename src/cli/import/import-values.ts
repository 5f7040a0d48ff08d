import type { parseArgs } from 'node:util';
import type { ApplyValues } from '../apply-bookings.ts';

export const IMPORT_OPTIONS = {
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

export const IMPORT_USAGE = `  ads import revive --from URL                        brings the bookings of Revive Adserver over: see docs/moving-from-revive.md
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
`;

type Options = ReturnType<typeof parseArgs<{ readonly options: typeof IMPORT_OPTIONS }>>['values'];

export type ImportValues = ApplyValues & Options & { readonly output?: string | undefined };
