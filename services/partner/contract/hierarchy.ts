import { event, id, listQuery, operations, page, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { Partner, PartnerStatus, PartnerTier } from './partners.ts';

/** The most partners above another one, so also the most levels below one. */
export const hierarchyLevelsMax = 10;
/** The most partners in the reply of `getPartnerHierarchy`. */
export const hierarchyNodesMax = 1_000;
/** The most partners that `listDownline` covers. */
export const downlineMax = 10_000;

export const hierarchyDirections = ['up', 'down', 'both'] as const;
export const parentChangeStatuses = ['scheduled', 'applied', 'refused', 'replaced'] as const;
export const parentRefusals = ['parent_missing', 'parent_not_approved', 'parent_cycle', 'too_many_levels'] as const;

export const HierarchyDirection = z.enum(hierarchyDirections);
export const ParentChangeStatus = z
  .enum(parentChangeStatuses)
  .describe('Whether the change waits for its time, was applied, was refused, or was replaced by a newer one');
export const ParentRefusal = z.enum(parentRefusals).describe('Why a scheduled change was refused');

/** A partner of a hierarchy, without its recruits. */
export const HierarchyPartner = z.object({
  id: id('partner'),
  name: z.string().meta({
    description: 'The company of the partner; without one, the first and last name',
    examples: ['Clarke Consulting'],
  }),
  tier: PartnerTier,
  status: PartnerStatus,
  depth: z.int().meta({
    description: 'The levels below the requested partner; negative above it, 0 for the partner itself',
    examples: [1],
  }),
  directCount: z.int().meta({ description: 'The number of partners that it recruited itself', examples: [0] }),
});

/** A partner of a hierarchy with those below it. */
export interface HierarchyNode extends z.output<typeof HierarchyPartner> {
  children: HierarchyNode[];
}

// Written out level by level: the positions of ids in a reply are a finite list.
const childrenOf = (levels: number): z.ZodType<HierarchyNode[]> =>
  z
    .array(levels > 1 ? HierarchyPartner.extend({ children: childrenOf(levels - 1) }) : (HierarchyPartner as z.ZodType))
    .meta({ description: 'The partners that it recruited, oldest first', examples: [[]] }) as z.ZodType<
    HierarchyNode[]
  >;

/** The partners above and below another one. */
export const PartnerHierarchy = HierarchyPartner.extend({
  children: childrenOf(2 * hierarchyLevelsMax + 1),
  truncated: z.boolean().meta({
    description: `Whether partners are left out, because there are more than ${hierarchyNodesMax}; the nearest are returned`,
    examples: [false],
  }),
});

export const ParentChange = z.object({
  id: id('parent_change'),
  partnerId: id('partner'),
  fromParentId: id('partner')
    .nullable()
    .meta({ description: 'The parent before; null for none', examples: [null] }),
  toParentId: id('partner').nullable().describe('The parent after; null for none'),
  effectiveAt: timestamp().describe('From when on the partner has the new parent'),
  status: ParentChangeStatus.meta({ examples: ['applied'] }),
  reason: ParentRefusal.nullable().meta({
    description: 'Why the change was refused; null for others',
    examples: [null],
  }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  createdAt: timestamp(),
});

const parents = {
  partnerId: id('partner'),
  from: id('partner').nullable().describe('The parent before'),
  to: id('partner').nullable().describe('The parent after'),
  effectiveAt: timestamp().describe('From when on the partner has the new parent'),
};

export const partnerParentChanged = event('partner.parent_changed', {
  description: 'A partner gets another parent',
  action: 'partner.change_parent',
  target: 'partner',
  data: z.object(parents),
  record: Partner,
});

export const parentChangeScheduled = event('parent_change.scheduled', {
  description: 'A change of the parent of a partner is scheduled',
  action: 'parent_change.schedule',
  target: 'parent_change',
  data: z.object(parents),
  record: ParentChange,
});

export const parentChangeReplaced = event('parent_change.replaced', {
  description: 'A scheduled change of the parent of a partner is replaced by a newer one',
  action: 'parent_change.replace',
  target: 'parent_change',
  data: z.object(parents),
  record: ParentChange,
});

export const parentChangeRefused = event('parent_change.refused', {
  description: 'A scheduled change of the parent of a partner cannot be applied',
  action: 'parent_change.refuse',
  target: 'parent_change',
  data: z.object({ ...parents, reason: ParentRefusal }),
  record: ParentChange,
});

const withId = z.object({ id: id('partner') });
const depth = wholeNumber(1, hierarchyLevelsMax);

export const hierarchy = operations({
  getPartnerHierarchy: {
    method: 'GET',
    path: '/v1/partners/:id/hierarchy',
    permission: 'partners:read',
    summary: 'Retrieve the hierarchy around a partner',
    description: `Returns the highest partner, with those below it nested in \`children\`. A reply has at most ${hierarchyNodesMax} partners.`,
    params: withId,
    query: z.object({
      direction: HierarchyDirection.describe('The partners above, below, or both').default('both'),
      depth: depth.describe('The number of levels in each direction').default(3),
    }),
    reply: PartnerHierarchy,
    message: 'Hierarchy retrieved',
  },
  getPartnerUpline: {
    method: 'GET',
    path: '/v1/partners/:id/upline',
    permission: 'partners:read',
    summary: 'Retrieve the partners above a partner',
    description: 'Returns the parent first and the highest partner last.',
    params: withId,
    reply: z.array(HierarchyPartner),
    message: 'Upline retrieved',
  },
  listDownline: {
    method: 'GET',
    path: '/v1/partners/:id/downline',
    permission: 'partners:read',
    summary: 'List the partners below a partner',
    description: `\`search\` covers the e-mail address, first name, last name and company. Of a larger downline, the ${downlineMax} nearest partners are listed.`,
    params: withId,
    query: listQuery(['createdAt', 'updatedAt', 'lastName']).extend({
      depth: depth.describe('Return only partners at most this many levels below').optional(),
    }),
    reply: page(HierarchyPartner),
    message: 'Downline retrieved',
  },
  setPartnerParent: {
    method: 'PUT',
    path: '/v1/partners/:id/parent',
    permission: 'partners:manage',
    summary: 'Set the parent of a partner',
    description: `Moves the partner with everybody below it, at once or at \`effectiveAt\`. A scheduled change is checked again at its time, and refused if it is not possible any more. A newer change replaces it, so sending the current parent cancels it. A partner has at most ${hierarchyLevelsMax} partners above it. Existing commissions stay as they are.`,
    params: withId,
    body: z.object({
      parentPartnerId: id('partner')
        .nullable()
        .meta({ description: 'The new parent; null for none', examples: [null] }),
      effectiveAt: timestamp()
        .meta({
          description: 'When the change is applied, not in the past; at once without it',
          examples: ['2030-01-01T00:00:00.000Z'],
        })
        .nullish(),
    }),
    reply: Partner.extend({
      scheduledParentChange: ParentChange.nullable().meta({
        description: 'The change that waits for its time; null if there is none',
        examples: [null],
      }),
    }),
    message: 'Parent set or scheduled',
    emits: [partnerParentChanged, parentChangeScheduled, parentChangeReplaced],
    errors: {
      parent_cycle: [409, 'The parent is the partner itself or a partner below it'],
      parent_not_approved: [409, 'The parent partner is not approved'],
    },
  },
  listParentChanges: {
    method: 'GET',
    path: '/v1/partners/:id/parent-history',
    permission: 'partners:read',
    summary: 'List the parents that a partner had and will have',
    params: withId,
    query: listQuery(['createdAt', 'effectiveAt']).omit({ search: true }),
    reply: page(ParentChange),
    message: 'Parent changes retrieved',
  },
});
