import { operations, rebuildPage } from '@tandem/contract';

/** Parts of the rebuild of what analytics counts. `settings` reads the time zone, `events` counts events that are not counted yet, and `sums` corrects the sums by what is stored. */
export const countedParts = [
  'settings',
  'lead',
  'opportunity',
  'partner',
  'commission',
  'task',
  'events',
  'sums',
] as const;

/** For operators: `npm run admin -- rebuild analytics`. */
export const internalRebuilds = operations({
  rebuildCounts: {
    method: 'POST',
    path: '/internal/analytics/rebuild',
    audience: 'internal',
    summary:
      'Compare one page of facts with the records of the service that has them, or a part of the sums with the facts',
    ...rebuildPage(countedParts),
    message: 'Counts rebuilt',
    emits: [],
    errors: {
      recounting: [
        409,
        'The time zone of the tenant has changed, and its records are being counted again; repeat the rebuild after that',
      ],
    },
  },
});
