import { internalRebuilds as analyticsRebuilds, countedParts } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import type { Operations } from '@tandem/contract';
import { internalRebuilds as crmRebuilds, duplicateParts } from '@tandem/crm-contract';
import { internalRebuilds as partnerRebuilds, referralParts } from '@tandem/partner-contract';
import { indexedTypes, internalSearch, rebuildSteps } from '@tandem/search-contract';
import { contentParts, internalRebuilds as trainingRebuilds } from '@tandem/training-contract';

export type As = Omit<Caller, 'type' | 'permissions'>;
export type Connect = <Ops extends Operations>(operations: Ops) => ServiceClient<Ops>;

/** The counts of one page, and the position of the next one; null after the last page. */
interface Page {
  read: number;
  written: number;
  removed: number;
  next: number | null;
}

/** One kind of records or work of a projection. */
export interface Part {
  name: string;
  /** Rebuilds the page after this position; null for the first. Pages are idempotent. */
  rebuild(page: { after: number | null; as: As }): Promise<Page>;
}

/** Data that a consumer derives from records. The service that keeps it rebuilds it page by page. */
export interface Projection {
  /** The service that keeps it. */
  service: string;
  /** Each part is walked through to its end, in this order, in each tenant and environment. */
  parts(connect: Connect): Part[];
}

/** Every projection of the fleet, by its name in `npm run admin -- rebuild <name>`. */
export const projections: Record<string, Projection> = {
  search: {
    service: 'search',
    parts(connect) {
      const search = connect(internalSearch);
      return indexedTypes.flatMap((type) =>
        rebuildSteps.map((step) => ({
          name: `${type}/${step}`,
          async rebuild({ after, as }) {
            const { indexed, removed, next } = await search.rebuildDocuments({ body: { type, step, after }, as });
            return { read: indexed + removed, written: indexed, removed, next };
          },
        })),
      );
    },
  },
  analytics: {
    service: 'analytics',
    parts(connect) {
      const analytics = connect(analyticsRebuilds);
      return countedParts.map((part) => ({
        name: part,
        rebuild: ({ after, as }) => analytics.rebuildCounts({ body: { part, after }, as }),
      }));
    },
  },
  duplicates: {
    service: 'crm',
    parts(connect) {
      const crm = connect(crmRebuilds);
      return duplicateParts.map((part) => ({
        name: part,
        rebuild: ({ after, as }) => crm.rebuildDuplicates({ body: { part, after }, as }),
      }));
    },
  },
  'lesson-content': {
    service: 'training',
    parts(connect) {
      const training = connect(trainingRebuilds);
      return contentParts.map((part) => ({
        name: part,
        rebuild: ({ after, as }) => training.rebuildLessonContent({ body: { part, after }, as }),
      }));
    },
  },
  referrals: {
    service: 'partner',
    parts(connect) {
      const partner = connect(partnerRebuilds);
      return referralParts.map((part) => ({
        name: part,
        rebuild: ({ after, as }) => partner.rebuildReferrals({ body: { part, after }, as }),
      }));
    },
  },
};
