import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import type { Operations } from '@tandem/contract';
import { internalRebuilds as crmRebuilds, duplicateParts } from '@tandem/crm-contract';
import { internalRebuilds as partnerRebuilds, referralParts } from '@tandem/partner-contract';
import { documentTypes, internalSearch, rebuildSteps } from '@tandem/search-contract';

export type As = Omit<Caller, 'type' | 'permissions'>;
export type Connect = <Ops extends Operations>(operations: Ops) => ServiceClient<Ops>;

/** The counts of one page, and the position of the next one; null after the last page. */
interface Page {
  read: number;
  written: number;
  removed: number;
  next: number | null;
}

/** Data that a consumer derives from records. The service that keeps it rebuilds it page by page; pages are idempotent. */
export interface Projection<Part extends string = string> {
  /** The service that keeps it. */
  service: string;
  /** Each part is walked through to its end, in this order, in each tenant and environment. */
  parts: readonly Part[];
  rebuild(connect: Connect): (page: { part: Part; after: number | null; as: As }) => Promise<Page>;
}

/** Every projection of the fleet, by its name in `npm run admin -- rebuild <name>`. */
export const projections: Record<string, Projection> = {
  search: projection({
    service: 'search',
    parts: documentTypes.flatMap((type) => rebuildSteps.map((step) => `${type}/${step}` as const)),
    rebuild(connect) {
      const search = connect(internalSearch);
      return async ({ part, after, as }) => {
        const [type, step] = part.split('/') as [(typeof documentTypes)[number], (typeof rebuildSteps)[number]];
        const { indexed, removed, next } = await search.rebuildDocuments({ body: { type, step, after }, as });
        return { read: indexed + removed, written: indexed, removed, next };
      };
    },
  }),
  duplicates: projection({
    service: 'crm',
    parts: duplicateParts,
    rebuild(connect) {
      const crm = connect(crmRebuilds);
      return ({ part, after, as }) => crm.rebuildDuplicates({ body: { part, after }, as });
    },
  }),
  referrals: projection({
    service: 'partner',
    parts: referralParts,
    rebuild(connect) {
      const partner = connect(partnerRebuilds);
      return ({ part, after, as }) => partner.rebuildReferrals({ body: { part, after }, as });
    },
  }),
};

function projection<const Part extends string>(declared: Projection<Part>): Projection {
  return declared as unknown as Projection;
}
