import type { BidOutcome } from '../bid-outcome.ts';
import { asList, asObject } from './json-fields.ts';

/*
 * Transparency of ads under the Digital Services Act, article 26, in the fields of the community
 * extension "dsa_transparency".
 */

export interface DsaTransparency {
  readonly domain: string;
  readonly dsaparams: readonly number[];
}

/** `regs.ext.dsa` as it is passed on: fields of another type or value are left out. */
export interface DsaRequest {
  /** 0: not required, 1: supported, 2: required, 3: required, on an online platform. */
  readonly dsarequired?: number;
  /** Whether the publisher renders the information: 0 no, 1 maybe, 2 yes. */
  readonly pubrender?: number;
  readonly datatopub?: number;
  readonly transparency?: readonly DsaTransparency[];
}

/** `bid.ext.dsa` */
export interface DsaAnswer {
  readonly behalf?: string;
  readonly paid?: string;
  /** Whether the ad renders the information: 0 no, 1 yes. */
  readonly adrender?: number;
  readonly transparency?: readonly DsaTransparency[];
}

const MAX_NAME_LENGTH = 100;
const MAX_TRANSPARENCY = 20;
const REQUIRED: ReadonlySet<number | undefined> = new Set([2, 3]);

/** Whether an ad without the information is refused. */
export const isDsaRequired = (asked: DsaRequest | undefined): boolean => REQUIRED.has(asked?.dsarequired);

/** undefined: the request does not ask. */
export const readDsaRequest = (value: unknown): DsaRequest | undefined => {
  const dsa = asObject(value);
  return (
    (dsa && {
      ...choice(dsa, 'dsarequired', 3),
      ...choice(dsa, 'pubrender', 2),
      ...choice(dsa, 'datatopub', 2),
      ...transparencyOf(dsa),
    }) ??
    undefined
  );
};

/** undefined: the bid says nothing. A name of over 100 characters, as of another type, counts as absent. */
export const readDsaAnswer = (value: unknown): DsaAnswer | undefined => {
  const dsa = asObject(value);
  return (dsa && { ...name(dsa, 'behalf'), ...name(dsa, 'paid'), ...choice(dsa, 'adrender', 1), ...transparencyOf(dsa) }) ?? undefined;
};

/**
 * Where the information is required: a bid must name on whose behalf the ad is shown and who pays,
 * and exactly one side must be able to render that.
 */
export const judgeDsa = (asked: DsaRequest | undefined, answered: DsaAnswer | undefined): BidOutcome | undefined => {
  if (!isDsaRequired(asked)) return undefined;
  if (answered?.behalf === undefined || answered.paid === undefined) return 'no_dsa';
  const nobodyRenders = asked?.pubrender === 0 && answered.adrender !== 1;
  const bothRender = asked?.pubrender === 2 && answered.adrender === 1;
  return nobodyRenders || bothRender ? 'no_dsa' : undefined;
};

type Json = Readonly<Record<string, unknown>>;

const choice = (dsa: Json, field: string, max: number): object => {
  const value = dsa[field];
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max ? { [field]: value } : {};
};

const name = (dsa: Json, field: string): object => {
  const value = dsa[field];
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH ? { [field]: value } : {};
};

const transparencyOf = ({ transparency }: Json): { readonly transparency?: readonly DsaTransparency[] } => {
  const named = (asList(transparency) ?? []).slice(0, MAX_TRANSPARENCY).flatMap((one) => {
    const { domain, dsaparams } = asObject(one) ?? {};
    if (typeof domain !== 'string' || domain === '' || domain.length > 253) return [];
    return [
      { domain, dsaparams: (asList(dsaparams) ?? []).slice(0, MAX_TRANSPARENCY).filter((param) => Number.isInteger(param)) as number[] },
    ];
  });
  return named.length === 0 ? {} : { transparency: named };
};
