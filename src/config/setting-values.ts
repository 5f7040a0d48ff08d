import path from 'node:path';
import { parseUrl } from '../base/parse-url.ts';
import { makeExactValidator } from 'envalid';
import { parseDuration } from './parse-duration.ts';
import { readSinks, type SinkSettings } from './sink-settings.ts';
import type { AdminToken, DemoData, TokenSecret } from './settings.ts';

/*
 * One validator per kind of value. Messages name what is accepted and never repeat the given value,
 * which may be a secret in the wrong variable.
 */

const refuse = (accepted: string): never => {
  throw new TypeError(`accepted: ${accepted}`);
};

const readToggle = (text: string): boolean | undefined =>
  /^(true|1|yes|on)$/i.test(text) ? true : /^(false|0|no|off)$/i.test(text) ? false : undefined;

export const toggle = makeExactValidator<boolean>((text) => readToggle(text) ?? refuse('true or false'));

export const demoData = makeExactValidator<DemoData>((text) => {
  if (text.toLowerCase() === 'large') return 'large';
  return (readToggle(text) ?? refuse('true, false or large')) ? 'small' : 'none';
});

export const oneOf = <const T extends string>(...names: readonly T[]) =>
  makeExactValidator<T>((text) => names.find((name) => name === text.toLowerCase()) ?? refuse(names.join(', ')));

/** The names of OpenTelemetry's specification. */
export const sampler = oneOf(
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
);

export const wholeNumber = (min: number, max: number) =>
  makeExactValidator<number>((text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : refuse(`a whole number from ${min} to ${max}`);
  });

const numberBetween = (min: number, max: number) =>
  makeExactValidator<number>((text) => {
    const value = Number(text);
    return value >= min && value <= max ? value : refuse(`a number from ${min} to ${max}`);
  });

export const gain = numberBetween(0, 1000);
export const share = numberBetween(0, 1);

/** Both bounds are inclusive, and are written as in the environment. */
export const duration = (min: string, max: string) =>
  makeExactValidator<number>((text) => {
    const value = parseDuration(text);
    const inRange = value !== undefined && value >= (parseDuration(min) ?? NaN) && value <= (parseDuration(max) ?? NaN);
    return inRange ? value : refuse(`a duration from ${min} to ${max}, such as 45s, 30m, 1h30m; a number alone is in seconds`);
  });

export const smtpUrl = makeExactValidator<string>((text) => {
  const url = parseUrl(text);
  return url && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
    ? text
    : refuse('smtp://user:password@host:port, or smtps:// with TLS');
});

/** `reports@gazette.example`, or with a name: `The Gazette <reports@gazette.example>`. */
export const mailAddress = makeExactValidator<string>((text) =>
  /^(?:[^<>\r\n@]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text)
    ? text
    : refuse('an e-mail address, or a name and an address in <>'),
);

export const eventTypes = makeExactValidator<readonly string[]>((text) => {
  const types = listOf(text);
  const wellFormed = types.length > 0 && types.every((type) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(type));
  return wellFormed ? [...new Set(types)] : refuse('event types separated by commas, each of up to 64 letters, digits, "_", "-" and "."');
});

export const databaseUrl = makeExactValidator<string>((text) =>
  hasScheme(text, 'postgres:', 'postgresql:') ? text : refuse('postgres://user:password@host:port/database'),
);

export const redisUrls = makeExactValidator<readonly string[]>((text) => {
  const urls = listOf(text);
  const wellFormed = urls.length > 0 && urls.every((url) => hasScheme(url, 'redis:', 'rediss:'));
  return wellFormed ? urls : refuse('redis://host:port, or the nodes of a cluster separated by commas; rediss:// for TLS');
});

export const publicUrl = makeExactValidator<string>((text) => {
  const plain = hasScheme(text, 'http:', 'https:') && !/[?#]/.test(text) && new URL(text).username === '';
  return plain ? text.replace(/\/+$/, '') : refuse('an http:// or https:// address without query, such as https://ads.example.com');
});

export const sinks = makeExactValidator<readonly SinkSettings[]>((text) => {
  const read = readSinks(text);
  return typeof read === 'string' ? refuse(read) : read;
});

export const hostNames = makeExactValidator<readonly string[]>((text) => {
  const hosts = listOf(text).map((host) => host.toLowerCase());
  const wellFormed = hosts.length > 0 && hosts.every((host) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host));
  return wellFormed ? hosts : refuse('host names separated by commas, without scheme and port, such as ads.example.com');
});

export const revision = makeExactValidator<string>((text) =>
  /^[\da-f]{7,64}$/i.test(text) ? text.toLowerCase() : refuse('a Git revision of 7 to 64 hex digits'),
);

export const secret = makeExactValidator<string>((text) => text);

/** Of a file or a folder, from the working directory. */
export const filePath = makeExactValidator<string>((text) => path.resolve(text));

export const tokenSecrets = makeExactValidator<readonly TokenSecret[]>((text) => {
  const secrets = listOf(text).map((entry) => {
    const [, kid, value] = /^([A-Za-z0-9_.-]{1,64}):(.+)$/.exec(entry) ?? [];
    return kid === undefined || value === undefined ? refuse('kid:secret,kid:secret; the first signs, all verify') : { kid, secret: value };
  });
  if (secrets.length === 0) refuse('kid:secret,kid:secret; the first signs, all verify');
  if (new Set(secrets.map(({ kid }) => kid)).size < secrets.length) refuse('each kid only once');
  return secrets;
});

/** A token without a name is called admin; a name before a colon identifies its owner. */
export const adminTokens = makeExactValidator<readonly AdminToken[]>((text) => {
  const tokens = listOf(text).map((entry) => {
    const [, name = 'admin', token = entry] = /^([A-Za-z0-9_.@-]{1,64}):(.+)$/.exec(entry) ?? [];
    return { name, token };
  });
  if (tokens.length === 0) refuse('a token, or name:token,name:token');
  // Other characters are stripped, refused or encoded in different ways in an Authorization header.
  if (!tokens.every(({ token }) => /^[\x21-\x7e]+$/.test(token))) refuse('tokens of visible ASCII characters, without spaces');
  return tokens;
});

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function hasScheme(text: string, ...schemes: readonly string[]): boolean {
  return schemes.includes(parseUrl(text)?.protocol ?? '');
}
