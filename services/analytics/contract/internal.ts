import { operations, rebuildPage } from '@tandem/contract';

/** Parts of the rebuild of what analytics counts. `settings` reads the time zone, and `events` counts events that are not counted yet. */
export const countedParts = ['settings', 'lead', 'opportunity', 'partner', 'commission', 'task', 'events'] as const;

/** For operators: `npm run admin -- rebuild analytics`. */
export const internalRebuilds = operations({
  rebuildCounts: {
    method: 'POST',
    path: '/internal/analytics/rebuild',
    audience: 'internal',
    summary: 'Compare one page of facts with the records of the service that has them, and correct the sums',
    ...rebuildPage(countedParts),
    message: 'Counts rebuilt',
    emits: [],
  },
});
