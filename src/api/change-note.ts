import { decodedUri } from '../base/parse-url.ts';
import { text } from '../base/schema.ts';
import { accept, reject, type Parameter, type Parameters } from './parameters.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_PARAMETER } from './idempotent-calls.ts';
import type { RouteDefinition } from './route.ts';

const MAX_NOTE_LENGTH = 500;
const NAME = 'Change-Note';

/** Why something is changed, for the history. */
const CHANGE_NOTE: Parameter<string | undefined> = {
  ...{ in: 'header', required: false, schema: text },
  description: `Why, for the history: up to ${MAX_NOTE_LENGTH} characters, percent-encoded as UTF-8`,
  read: ([word]) => {
    // Headers have ASCII alone, so other letters are percent-encoded (RFC 3986) as UTF-8.
    const note = word === undefined ? '' : decodedUri(word)?.trim();
    if (note === undefined || note.length > MAX_NOTE_LENGTH || note.includes('\0'))
      return reject(`must be text of up to ${MAX_NOTE_LENGTH} characters, percent-encoded as UTF-8`);
    return accept(note === '' ? undefined : note);
  },
};

/** The parameters of a route: what staff change has a note too, and what they create a key. */
export const parametersOf = ({ access = 'staff', method, asks, parameters = {} }: RouteDefinition): Parameters => ({
  ...parameters,
  ...(access === 'staff' && method !== 'GET' && !asks && { [NAME]: CHANGE_NOTE }),
  ...(access === 'staff' && method === 'POST' && !asks && { [IDEMPOTENCY_KEY]: IDEMPOTENCY_PARAMETER }),
});

/** The note among the values of the parameters; null: none was given. */
export const noteIn = (values: Readonly<Record<string, unknown>>): string | null => (values[NAME] as string | undefined) ?? null;
