import type { WireAdRequest } from './ad-request-schema.ts';
import { at, listAt, textAt, type WireAuction } from './auction-schema.ts';

/** Lists of ids that are looked at. */
const MAX_IDS = 50;

/** The visitor of an auction, as an ad request names it. */
export const userOf = (request: WireAuction): WireAdRequest['user'] => {
  const id = userIdOf(request);
  const user = request['user'];
  return { ...(id !== undefined && { id }), consent: at(user, 'consent'), ext: at(user, 'ext'), data: at(user, 'data') };
};

/** The first-party id: of the caller, else the one that Prebid's sharedId module keeps for the site. */
const userIdOf = (request: WireAuction): string | undefined =>
  textAt(request, 'user', 'id') ??
  [...listAt(request, 'user', 'eids'), ...listAt(request, 'user', 'ext', 'eids')]
    .slice(0, MAX_IDS)
    .flatMap((eid) => (at(eid, 'source') === 'pubcid.org' ? (textAt(listAt(eid, 'uids')[0], 'id') ?? []) : []))[0];

/** What line items target of the device is read from `sent` when one does. */
export const deviceOf = (request: WireAuction): NonNullable<WireAdRequest['device']> => {
  const device = request['device'];
  const ua = at(device, 'ua');
  const ip = textAt(request, 'device', 'ip') ?? textAt(request, 'device', 'ipv6');
  return { ...(typeof ua === 'string' && ua !== '' && { ua }), ...(ip !== undefined && { ip }), lmt: at(device, 'lmt'), sent: device };
};
