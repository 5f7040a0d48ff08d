import type { ServedAd } from '../hit.ts';
import { counterAt, UNKNOWN_AT } from './activity-rule.ts';

/** The parts of a seal (context/visitor-seal.ts): the browser family, the network, the origin, the user. */
const [NETWORK_AT, ORIGIN_AT, USER_AT, END] = [1, 6, 10, 14];

/** So much of a seal does not name the user. */
export const UNNAMED_SEAL_LENGTH = USER_AT;

type Sealed = Pick<ServedAd, 'publisherId' | 'userHash' | 'seal'>;

/** Whether the network is known and public: behind an address of a private network may be everybody. */
const hasNetwork = (seal: string | undefined): seal is string =>
  seal !== undefined && (seal[NETWORK_AT] === '4' || seal[NETWORK_AT] === '6');

/** As much of a user hash as its followers need; undefined: the id may not be used. */
export const userPartOf = ({ userHash, seal }: Pick<ServedAd, 'userHash' | 'seal'>): string | undefined =>
  seal !== undefined && seal.length >= END ? seal.slice(USER_AT, END) : userHash?.slice(0, END - USER_AT);

/** The counter of the impressions of the user of an ad. */
export const userAt = (ad: Sealed): number => {
  const { publisherId, seal, userHash } = ad;
  if (seal !== undefined && seal.length >= END) return counterAt(publisherId, seal, USER_AT, END);
  return userHash === null ? UNKNOWN_AT : counterAt(publisherId, userHash, 0, END - USER_AT);
};

/** The counter of the impressions of the network of an ad. */
export const networkAt = ({ publisherId, seal }: Sealed): number =>
  hasNetwork(seal) ? counterAt(publisherId, seal, NETWORK_AT, ORIGIN_AT) : UNKNOWN_AT;

/** The name of the visitor in Redis, the user or else the browser and network; '': unknown. */
export const visitorName = (ad: Sealed): string => {
  const user = userPartOf(ad);
  if (user !== undefined) return userName(ad.publisherId, user);
  return hasNetwork(ad.seal) ? `b${ad.publisherId}:${ad.seal.slice(0, ORIGIN_AT)}` : '';
};

/** @param user a user hash, or its part */
export const userName = (publisherId: number, user: string): string => `u${publisherId}:${user.slice(0, END - USER_AT)}`;

/** The name of the network in Redis; '': unknown. */
export const networkName = ({ publisherId, seal }: Sealed): string =>
  hasNetwork(seal) ? `n${publisherId}:${seal.slice(NETWORK_AT, ORIGIN_AT)}` : '';
