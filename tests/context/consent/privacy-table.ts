import { GppModel, UsNat } from '@iabgpp/cmpapi';
import { samplePrivacy } from '../../../testkit/sample-booking.ts';
import type { PublisherPrivacy } from '../../../src/catalog/model/entities.ts';
import type { SignalSources } from '../../../src/context/consent/privacy-signals.ts';
import { canadianString, gppString, tcfString, vendors } from './consent-strings.ts';

/** The bidder of the examples on the Global Vendor List. */
export const VENDOR = 2;

const gpp = (set: (model: GppModel) => void): string => {
  const model = new GppModel();
  set(model);
  return model.encode();
};
const usNational = (field: string, value: unknown) => gpp((model) => model.setFieldValue(UsNat.NAME, field, value));
const canada = (purposes: readonly number[]) => gppString({ 5: canadianString(purposes, VENDOR) });

/** What may be done, in the columns of docs/privacy.md. */
export interface Allowed {
  readonly remember: boolean;
  readonly measure: boolean;
  readonly profile: boolean;
  readonly share: boolean;
}

export interface Row {
  /** The signal, as docs/privacy.md names it. */
  readonly signal: string;
  /** Requests that all mean this. */
  readonly requests: readonly Request[];
  readonly allowed: Allowed;
}

export interface Request extends SignalSources {
  readonly country?: string;
  readonly privacy?: Partial<PublisherPrivacy>;
  /** null: the bidder has no vendor id. */
  readonly gvlId?: number | null;
}

const EVERYTHING = { remember: true, measure: true, profile: true, share: true };
const NO_PROFILE = { ...EVERYTHING, profile: false };
const NOTHING = { remember: false, measure: false, profile: false, share: false };
const NOT_SHARED = { remember: true, measure: true, profile: false, share: false };

export const GRANTED = tcfString({ purposes: [1, 2, 7], vendors: vendors([VENDOR]), disclosed: [VENDOR] });
const consent = (parts: Parameters<typeof tcfString>[0]) => ({
  regs: { gdpr: 1 },
  user: { consent: tcfString({ vendors: vendors([VENDOR]), disclosed: [VENDOR], ...parts }) },
});

const OPT_OUTS: readonly Request[] = [
  { regs: { us_privacy: '1YYN' } },
  { regs: { ext: { us_privacy: '1YYN' } } },
  { regs: { gpp: usNational('SaleOptOut', 1), gpp_sid: [7] } },
  { regs: { gpp: usNational('SharingOptOut', 1) } },
  { regs: { gpp: gpp((model) => model.setFieldValue('usca', 'SaleOptOut', 1)), gpp_sid: [8] } },
  { regs: { gpp: gpp((model) => model.setFieldValue('uspv1', 'OptOutSale', 'Y')), gpp_sid: [6] } },
  { regs: { gpp_sid: [7] } },
  { regs: { gpp: 'unreadable' } },
  { regs: { ext: { gpc: '1' } } },
  { regs: { ext: { gpc: 1 } } },
  { secGpc: '1' },
];

/** The table of docs/privacy.md. */
export const PRIVACY_TABLE: readonly Row[] = [
  {
    signal: 'none, from another country or an unknown one',
    requests: [{}, { country: 'US' }, { country: 'BR', regs: {} }, { country: 'US', regs: { gdpr: 'maybe' } }, { secGpc: '0' }],
    allowed: EVERYTHING,
  },
  {
    signal: 'none, from the EEA, the United Kingdom or Switzerland',
    requests: [
      { country: 'DE' },
      { country: 'GB' },
      { country: 'CH' },
      { country: 'NO', regs: {} },
      { country: 'FR', regs: { us_privacy: '1YNN' } },
    ],
    allowed: NOTHING,
  },
  {
    signal: 'none, with `consent_when_silent: allow`',
    requests: [{ country: 'DE', privacy: { consentWhenSilent: 'allow' } }],
    allowed: EVERYTHING,
  },
  {
    signal: 'none, with `consent_when_silent: deny`',
    requests: [
      { country: 'US', privacy: { consentWhenSilent: 'deny' } },
      { privacy: { consentWhenSilent: 'deny' }, secGpc: '1' },
    ],
    allowed: NOTHING,
  },
  {
    signal: '`regs.coppa` 1',
    requests: [{ regs: { coppa: 1 } }, { regs: { coppa: 1, gdpr: 1 }, user: { consent: GRANTED } }],
    allowed: NOTHING,
  },
  {
    signal: '`regs.gdpr` 0',
    requests: [{ country: 'DE', regs: { gdpr: 0 } }, { regs: { ext: { gdpr: '0' }, gpp_sid: [2] } }],
    allowed: EVERYTHING,
  },
  {
    signal: '`regs.gdpr` 1 or GPP section 2, without a readable TCF string',
    requests: [
      { regs: { gdpr: 1 } },
      { country: 'US', regs: { gpp_sid: [2] } },
      { regs: { gdpr: 1 }, user: { consent: 'unreadable' } },
      { user: { consent: 7 } },
      { regs: { gdpr: 1 }, user: { consent: 'C'.repeat(9_000) } },
    ],
    allowed: NOTHING,
  },
  {
    signal: 'TCF: purposes 1, 2 and 7, and the bidder is a vendor that may use 1 and 2',
    requests: [
      { regs: { gdpr: 1 }, user: { consent: GRANTED } },
      { country: 'DE', user: { ext: { consent: GRANTED } } },
      { regs: { gpp_sid: [2], gpp: `DBABMA~${GRANTED}` } },
      consent({ purposes: [1, 2], publisher: { purposes: [1], legitimate: [2, 4, 7] } }),
    ],
    allowed: NO_PROFILE,
  },
  {
    signal: 'TCF: purposes 1, 2, 4 and 7, and the bidder is a vendor that may use 1 and 2',
    requests: [consent({ purposes: [1, 2, 4, 7] }), consent({ purposes: [1, 2], publisher: { purposes: [1, 4], legitimate: [2, 7] } })],
    allowed: EVERYTHING,
  },
  {
    signal: 'TCF: purposes 1, 2 and 7, and the bidder is refused, restricted, not disclosed or has no `gvl_id`',
    requests: [
      consent({ purposes: [1, 2, 7], vendors: vendors([]) }),
      consent({ purposes: [1, 2, 7], restrictions: [[2, 0, VENDOR]] }),
      consent({ purposes: [1, 2, 7], disclosed: [9] }),
      { regs: { gdpr: 1 }, user: { consent: GRANTED }, gvlId: null },
    ],
    allowed: NOT_SHARED,
  },
  {
    signal: 'TCF: without purpose 7',
    requests: [consent({ purposes: [1, 2] })],
    allowed: { remember: true, measure: false, profile: false, share: true },
  },
  {
    signal: 'TCF: without purpose 1 or 2',
    requests: [consent({ purposes: [2, 7] }), consent({ purposes: [1, 7] }), consent({ legitimate: [1, 2, 7] })],
    allowed: { remember: false, measure: true, profile: false, share: false },
  },
  {
    signal: 'TCF: the publisher segment refuses what the core allows',
    requests: [consent({ purposes: [1, 2, 7], publisher: { purposes: [] } })],
    allowed: { remember: false, measure: false, profile: false, share: true },
  },
  {
    signal: 'TCF Canada (GPP section 5): purposes 1, 2 and 7',
    requests: [{ regs: { gpp: canada([1, 2, 7]), gpp_sid: [5] } }, { country: 'CA', regs: { gpp: canada([1, 2, 7]) } }],
    allowed: NO_PROFILE,
  },
  {
    signal: 'TCF Canada: none, or unreadable',
    requests: [{ regs: { gpp: canada([]), gpp_sid: [5] } }, { regs: { gpp_sid: [5] } }],
    allowed: NOTHING,
  },
  {
    signal: 'US: no opt-out in `us_privacy` or GPP sections 6 to 27',
    requests: [
      { regs: { us_privacy: '1YNN' } },
      { regs: { gpp: usNational('SaleOptOut', 2), gpp_sid: [7] } },
      { regs: { gpp: usNational('SaleOptOut', 1), gpp_sid: [-1] } },
      { regs: { us_privacy: '1YNN' }, privacy: { consentWhenSilent: 'deny' } },
    ],
    allowed: EVERYTHING,
  },
  { signal: 'US: an opt-out there, `Sec-GPC: 1` or `regs.ext.gpc`', requests: OPT_OUTS, allowed: NOT_SHARED },
  {
    signal: 'the same, with `us_opt_out_ends_frequency_caps`',
    requests: OPT_OUTS.map((request) => ({ ...request, privacy: { usOptOutEndsCaps: true } })),
    allowed: { remember: false, measure: true, profile: false, share: false },
  },
  {
    signal: '`device.lmt` 1',
    requests: [
      { device: { lmt: 1 } },
      { device: { lmt: '1' }, country: 'US', privacy: { usOptOutEndsCaps: true } },
      { device: { lmt: true }, regs: { gdpr: 0 }, country: 'DE' },
    ],
    allowed: NOT_SHARED,
  },
];

export const privacyOf = ({ privacy }: Request): PublisherPrivacy => ({ ...samplePrivacy, ...privacy });

/** Signals of another law, and what they leave of what is allowed otherwise. */
const OTHER_LAWS: readonly { readonly regs?: object; readonly secGpc?: string; readonly device?: object; readonly leaves: Allowed }[] = [
  { secGpc: '1', leaves: NOT_SHARED },
  { regs: { ext: { gpc: '1' } }, leaves: NOT_SHARED },
  { regs: { us_privacy: '1YYN' }, leaves: NOT_SHARED },
  { regs: { us_privacy: '1YNN' }, leaves: EVERYTHING },
  { regs: { gpp: usNational('SharingOptOut', 1) }, leaves: NOT_SHARED },
  { regs: { gpp: canada([]), gpp_sid: [5] }, leaves: NOTHING },
  { regs: { gpp: canada([1, 2, 7]), gpp_sid: [5] }, leaves: NO_PROFILE },
  { regs: { coppa: 1 }, leaves: NOTHING },
  { regs: { coppa: 0 }, leaves: EVERYTHING },
  { device: { lmt: 1 }, leaves: NOT_SHARED },
  { device: { lmt: 0 }, leaves: EVERYTHING },
];

/** Every request of the table that speaks of the GDPR, with every signal of another law: both must allow a use. */
export const COMBINED: readonly { readonly request: Request; readonly allowed: Allowed }[] = PRIVACY_TABLE.filter(({ signal }) =>
  /^(TCF:|`regs.gdpr`)/.test(signal),
).flatMap(({ requests, allowed }) =>
  requests
    .filter(({ regs }) => !/gpp|ext/.test(JSON.stringify(regs ?? {})))
    .flatMap((request) =>
      OTHER_LAWS.map(({ regs, secGpc, device, leaves }) => ({
        request: {
          ...request,
          regs: { ...(request.regs as object), ...regs },
          ...(secGpc === undefined ? {} : { secGpc }),
          ...(device && { device }),
        },
        allowed: {
          remember: allowed.remember && leaves.remember,
          measure: allowed.measure && leaves.measure,
          profile: allowed.profile && leaves.profile,
          share: allowed.share && leaves.share,
        },
      })),
    ),
);
