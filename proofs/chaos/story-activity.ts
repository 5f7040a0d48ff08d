import { ACTIVITY_RULE, type ActivityRule } from '../../src/ledger/settle/activity-rule.ts';

/** Creatives of stories have few impressions: at the service's rule no click would be provisional. */
export const STORY_ACTIVITY: ActivityRule = { ...ACTIVITY_RULE, historyImpressions: 10, excessClicks: 2, excess: 1 };
