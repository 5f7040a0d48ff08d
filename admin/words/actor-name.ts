import { tokenOf } from '../../src/base/token-actor.ts';
import { t } from './texts.ts';

/** Who did something, as people read it: an e-mail address, or the name of an API token. */
export const actorName = (actor: string): string => {
  const token = tokenOf(actor);
  return token === undefined ? actor : t`token “${token}”`;
};
