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

/** Creates the default lead statuses and opportunity stages of a tenant. */
export async function defineDefaults(tx: Tx): Promise<void> {
  const data = [leadStatuses, stages].flatMap((set) => set.map((one, sortOrder) => ({ ...one, sortOrder })));
  await tx.statusDefinition.createMany({ data: data.map((one) => ({ ...one, updatedAt: new Date() })) });
}
