import { t } from './texts.ts';

const TOKEN = 'token:';

/** Who did something, as the history has it: an e-mail address, or an API token, `token:nightly export`. */
export const actorName = (actor: string): string => (actor.startsWith(TOKEN) ? t`token “${actor.slice(TOKEN.length)}”` : actor);
