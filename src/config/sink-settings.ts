import { parseUrl } from '../base/parse-url.ts';

/** The schemes of SINKS (open-sinks.ts opens them). */
export const SINK_SCHEMES = ['kafka', 'clickhouse', 's3', 'file'] as const;
export type SinkScheme = (typeof SINK_SCHEMES)[number];

export interface SinkSettings {
  readonly name: string;
  readonly scheme: SinkScheme;
  /** With credentials. */
  readonly url: string;
  readonly keepsUserHash: boolean;
}

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** The sinks of a list of URLs separated by spaces; a text: why it is none. Never repeats the URLs, which have credentials. */
export const readSinks = (text: string): readonly SinkSettings[] | string => {
  const sinks: SinkSettings[] = [];
  for (const url of text.split(/\s+/).filter((part) => part !== '')) {
    const parsed = parseUrl(url);
    const scheme = SINK_SCHEMES.find((known) => parsed?.protocol === `${known}:`);
    if (!parsed || !scheme) return `URLs separated by spaces, each with the scheme ${SINK_SCHEMES.join(', ')}`;
    const name = parsed.searchParams.get('name') ?? scheme;
    if (!NAME.test(name)) return 'a name of a sink (?name=) begins with a letter and has up to 40 of a-z, 0-9, "_" and "-"';
    if (sinks.some((sink) => sink.name === name)) return `each sink has another name: say ?name= for the second ${name}`;
    const userHash = parsed.searchParams.get('user_hash') ?? 'false';
    if (userHash !== 'true' && userHash !== 'false') return 'user_hash of a sink is true or false';
    sinks.push({ name, scheme, url, keepsUserHash: userHash === 'true' });
  }
  return sinks;
};
