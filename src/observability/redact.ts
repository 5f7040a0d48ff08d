/**
 * Field names, without case, hyphens and underscores, that no log line may contain. No caller
 * should log them; this is the second line of defence.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set(
  (
    'apikey xapikey key token tokens t jwt authorization cookie setcookie password secret secrets tokensecret tokensecrets admintoken ' +
    'user userid userhash uid ip ips address remoteaddress forwardedfor xforwardedfor deviceip clientip consent body rawbody'
  ).split(' '),
);

const MASK = '***';
/** Query values of tokens, JWTs, bearer credentials, and the user part of connection URLs. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  [/([?&](?:t|token|api_?key|key|debug_grant)=)[^&\s"'<>]+/gi, `$1${MASK}`],
  [/\beyJ[\w-]{4,}\.[\w-]*\.?[\w-]*/g, MASK],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${MASK}`],
  [/(\w:\/\/)[^\s/@]*:[^\s/]*@/g, `$1${MASK}@`],
];
/** What is kept of a longer text: a failed query is kilobytes of SQL with the reason at the end. */
const BEGINNING_LENGTH = 512;
const END_LENGTH = 1_536;
/** Secrets are masked in more than is kept, because half a token would not be seen; not in all, which may be megabytes. A stack is kept so far. */
const MASKED_LENGTH = 4_096;
const MAX_DEPTH = 5;
const MAX_ENTRIES = 100;

/**
 * A value as it may be logged: secret fields dropped, token-like text masked, errors as name,
 * message, code and stack, long and deep values cut. Addresses inside free text stay: an operator
 * needs to know which server refused a connection.
 */
export const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => redact(entry, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ENTRIES)
      .filter(([name]) => !isSecretName(name))
      .map(([name, entry]) => [name, redact(entry, depth + 1)]),
  );
};

export const isSecretName = (name: string): boolean => SECRET_NAMES.has(name.replace(/[-_]/g, '').toLowerCase());

const redactText = (text: string): string => {
  if (text.length <= BEGINNING_LENGTH + END_LENGTH) return masked(text);
  const beginning = masked(text.slice(0, MASKED_LENGTH)).slice(0, BEGINNING_LENGTH);
  return `${beginning} … ${masked(text.slice(-MASKED_LENGTH)).slice(-END_LENGTH)}`;
};

const masked = (text: string): string => SECRET_TEXT.reduce((before, [pattern, by]) => before.replace(pattern, by), text);

/**
 * Other fields of an error are left out: body parsers attach the raw body, database drivers the
 * row.
 */
const redactError = (error: Error, depth: number): unknown => {
  const message = redactText(error.message);
  const stack = (error.stack ?? '').replace(error.message, () => message);
  return {
    name: error.name,
    message,
    ...('code' in error && { code: redact(error.code, depth + 1) }),
    // The frames that come first say the most.
    stack: masked(stack.slice(0, MASKED_LENGTH)),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
  };
};
