import type { Tx } from '../../handler.ts';

const emptyFields = { description: null, isDefault: false, category: null, isClosed: false, isWon: false };

const leadStatuses = [
  { code: 'new', name: 'New', color: 'blue', isDefault: true },
  { code: 'contacted', name: 'Contacted', color: 'yellow' },
  { code: 'qualified', name: 'Qualified', color: 'green' },
  { code: 'unqualified', name: 'Unqualified', color: 'gray' },
].map((status) => ({ ...emptyFields, defaultProbability: null, entityType: 'lead', category: status.code, ...status }));

const stages = [
  { code: 'prospecting', name: 'Prospecting', color: 'blue', isDefault: true, defaultProbability: 10 },
  { code: 'qualification', name: 'Qualification', color: 'cyan', defaultProbability: 25 },
  { code: 'proposal', name: 'Proposal', color: 'yellow', defaultProbability: 50 },
  { code: 'negotiation', name: 'Negotiation', color: 'orange', defaultProbability: 75 },
  { code: 'won', name: 'Won', color: 'green', isClosed: true, isWon: true, defaultProbability: 100 },
  { code: 'lost', name: 'Lost', color: 'red', isClosed: true, defaultProbability: 0 },
].map((stage) => ({ ...emptyFields, entityType: 'opportunity', ...stage }));

/** Codes of the default statuses that every tenant has. */
export function defaultCodes(entityType: 'lead' | 'opportunity'): string[] {
  return (entityType === 'lead' ? leadStatuses : stages).map(({ code }) => code);
}

/** The stages of a pipeline that is created without its own. */
export const defaultStages = stages.map((one, sortOrder) => ({ ...one, sortOrder }));

const reasons = {
  won: { price: 'Price', product_fit: 'Product fit', relationship: 'Relationship', other: 'Other' },
  lost: {
    price: 'Price',
    competitor: 'Competitor',
    no_budget: 'No budget',
    no_decision: 'No decision',
    timing: 'Timing',
    missing_feature: 'Missing feature',
    other: 'Other',
  },
};

/** Creates the default lead statuses, pipeline and win-loss reasons of a tenant. */
export async function defineDefaults(tx: Tx): Promise<void> {
  const { id: pipelineId } = await tx.pipeline.create({ data: { name: 'Sales', isDefault: true } });
  const statuses = [
    ...leadStatuses.map((one, sortOrder) => ({ ...one, sortOrder })),
    ...defaultStages.map((one) => ({ ...one, pipelineId })),
  ];
  await tx.statusDefinition.createMany({ data: statuses });
  await tx.winLossReason.createMany({
    data: Object.entries(reasons).flatMap(([outcome, names]) =>
      Object.entries(names).map(([code, name]) => ({ outcome, code, name })),
    ),
  });
}
