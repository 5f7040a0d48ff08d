import { component } from '../api/component.ts';
import * as s from '../base/schema.ts';
import { SCREENSHOTS } from '../catalog/entities/page-pictures.ts';
import { PAGES_OF_AD } from '../proofing/pages-of-ad.ts';

/** What the page of a read-only link shows around its report. */
export const SHARED_CAMPAIGNS = component(
  'SharedCampaigns',
  s.record({
    publishers: s.listOf(s.record({ name: s.text, domain: s.text, logo: s.orNull(s.text, { description: 'The address of a picture' }) }), {
      description: 'Where the campaigns run',
    }),
    campaigns: s.listOf(
      s.record({
        name: s.text,
        start_date: s.text,
        end_date: s.text,
        goal: s.orNull(s.integer, {
          description: 'Impressions of its line items together; null: none is agreed, or the report has no impressions',
        }),
        impressions: s.count,
        clicks: s.count,
        days: s.listOf(s.record({ day: s.day, impressions: s.count, clicks: s.count }), {
          description: 'Of the flight, filtered as the report is; empty when the report has no impressions',
        }),
        creatives: s.listOf(
          s.record({
            name: s.text,
            width: s.integer,
            height: s.integer,
            pages: PAGES_OF_AD,
            markup: s.orNull(s.text, { description: 'A document for a sandboxed frame; null: only the player of the page shows it' }),
          }),
        ),
        screenshots: SCREENSHOTS,
      }),
      { description: 'Those with figures in the report, the largest first' },
    ),
  }),
  {
    publishers: [{ name: 'The Gazette', domain: 'gazette.example', logo: 'https://gazette.example/logo.svg' }],
    campaigns: [
      {
        ...{ name: 'Boots, autumn', start_date: '2026-10-01', end_date: '2026-10-31', goal: 200_000, impressions: 96_400, clicks: 412 },
        days: [{ day: '2026-10-14', impressions: 6_900, clicks: 31 }],
        creatives: [
          { name: 'Boots, wide', width: 728, height: 90, pages: [], markup: '<!doctype html><a href="https://boots.example/">Boots</a>' },
        ],
        screenshots: [],
      },
    ],
  },
);
export type SharedCampaigns = s.Shape<typeof SHARED_CAMPAIGNS>;
