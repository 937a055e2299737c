import type { Tx } from '../../handler.ts';

const blank = { description: null, isDefault: false, category: null, isClosed: false, isWon: false };

const leadStatuses = [
  { code: 'new', name: 'New', color: 'blue', isDefault: true },
  { code: 'contacted', name: 'Contacted', color: 'yellow' },
  { code: 'qualified', name: 'Qualified', color: 'green' },
  { code: 'unqualified', name: 'Unqualified', color: 'gray' },
].map((status) => ({ ...blank, defaultProbability: null, entityType: 'lead', category: status.code, ...status }));

const stages = [
  { code: 'prospecting', name: 'Prospecting', color: 'blue', isDefault: true, defaultProbability: 10 },
  { code: 'qualification', name: 'Qualification', color: 'cyan', defaultProbability: 25 },
  { code: 'proposal', name: 'Proposal', color: 'yellow', defaultProbability: 50 },
  { code: 'negotiation', name: 'Negotiation', color: 'orange', defaultProbability: 75 },
  { code: 'won', name: 'Won', color: 'green', isClosed: true, isWon: true, defaultProbability: 100 },
  { code: 'lost', name: 'Lost', color: 'red', isClosed: true, defaultProbability: 0 },
].map((stage) => ({ ...blank, entityType: 'opportunity', ...stage }));

/** The codes that every tenant has from the start. */
export function defaultCodes(entityType: 'lead' | 'opportunity'): string[] {
  return (entityType === 'lead' ? leadStatuses : stages).map(({ code }) => code);
}

/** Gives a tenant the statuses of leads and the stages of opportunities that it can start with. */
export async function defineDefaults(tx: Tx): Promise<void> {
  const data = [leadStatuses, stages].flatMap((set) => set.map((one, sortOrder) => ({ ...one, sortOrder })));
  await tx.statusDefinition.createMany({ data: data.map((one) => ({ ...one, updatedAt: new Date() })) });
}
