import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { inTurns } from '@tandem/process';
import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { presentAccount } from '../accounts/survivor.ts';
import type { Definition } from '../custom-fields/custom-field.ts';
import { claimValues, writeOf } from '../custom-fields/write-values.ts';
import {
  emitCreated,
  type NewOpportunity,
  newOpportunityColumns,
  type OfLead,
  ofNoLead,
  teamOfNew,
} from '../opportunities/new-opportunity.ts';
import { amountColumns, asOpportunity, type LockedOpportunity } from '../opportunities/opportunity.ts';
import { startHistory } from '../opportunities/stage-history.ts';
import { checkFirstStage, pipelineOfStage } from '../pipelines/check-stage-move.ts';
import { firstStageOf } from '../pipelines/first-stage.ts';
import type { MoverRole } from '../pipelines/mover-role.ts';
import { passing } from './outcomes.ts';
import type { Batch, Checked, Dedupe, Outcome } from './target.ts';
import { uniqueValues } from './unique-values.ts';
import type { References } from './users.ts';

/** Users, teams, partners, currency and role that rows of opportunities depend on. */
export interface OpportunityReferences {
  users: References;
  /** The teams and partners that rows name and that do not exist. */
  absentTeams: ReadonlySet<number>;
  absentPartners: ReadonlySet<number>;
  /** The currency of amounts without one. */
  currency: string;
  /** The role of the person who imports, for rules about moves. */
  roleId: MoverRole;
}

export interface OpportunityContext extends Batch {
  dedupe: Dedupe;
  references: OpportunityReferences;
  definitions: readonly Definition[];
}

type OpportunityRow = Checked<NewOpportunity>;

/** Creates opportunities with one statement, each as createOpportunity does, with its history and event. */
export async function createOpportunities(
  records: readonly OpportunityRow[],
  context: OpportunityContext,
): Promise<Outcome[]> {
  const { tx, emit } = context;
  const outcomes: Outcome[] = [];
  const prepared = await prepare(records, context, outcomes);
  if (!prepared.length) return outcomes;
  const rows = await tx.opportunity.createManyAndReturn({ data: prepared.map(({ columns }) => columns) });
  // The rows were inserted in the order of the data, which gave them ascending ids.
  const created = rows.sort((one, other) => one.id - other.id).map(asOpportunity);
  await startHistory(tx, ...created);
  await inTurns(created, (opportunity) => emitCreated(emit, opportunity));
  for (const [index, { row, custom }] of prepared.entries()) {
    const { id } = created[index] as LockedOpportunity;
    await claimValues(tx, custom, id);
    outcomes.push({ row, action: 'created', id });
  }
  return outcomes;
}

/** Converts rows to columns. A row that a rule refuses fails alone. */
async function prepare(
  records: readonly OpportunityRow[],
  { tx, actor, references, definitions }: OpportunityContext,
  outcomes: Outcome[],
) {
  const caller = actor as Caller;
  const leads = await readLeads(tx, records);
  const stageOf = stageReader(tx);
  const described = await passing(records, outcomes, async ({ row, body }) => {
    const lead = body.leadId ? leads.get(body.leadId) : ofNoLead;
    if (!lead) throw failField('leadId', unknownId('lead'));
    const owner = references.users.get(body.ownerId ?? 0)?.assignee;
    const teamId = teamOfNew(body, { caller, owner, lead });
    const { currency = references.currency } = body;
    // Checked here, because the columns are made for all rows together.
    amountColumns(body.value ?? 0, currency);
    const { stage, pipeline } = await stageOf(body, teamId);
    const custom = writeOf(definitions, { after: body.customFields ?? {} });
    const accountId = body.accountId === undefined ? lead.accountId : body.accountId;
    const { partnerId = lead.partnerId } = body;
    return { row, body: { ...body, partnerId }, custom, currency, stage, pipeline, teamId, accountId };
  });
  const accounts = await holdAccounts(
    tx,
    described.map(({ accountId }) => accountId),
  );
  const writes = described.map(({ custom }) => custom);
  const unique = await uniqueValues(tx, writes, definitions);
  return passing(described, outcomes, async ({ row, body, accountId: wanted, currency, teamId, ...one }) => {
    const accountId = wanted === null ? null : (accounts.get(wanted) ?? null);
    const columns = newOpportunityColumns({ ...body, currency, teamId, accountId }, { ...one, caller });
    checkFirstStage(one.pipeline, { stage: one.stage, deal: columns, roleId: references.roleId });
    unique.check(one.custom);
    unique.take(one.custom);
    return { row, custom: one.custom, columns };
  });
}

/** The leads that rows name, with what their opportunities take over. */
async function readLeads(tx: Tx, records: readonly OpportunityRow[]) {
  const ids = [...new Set(records.flatMap(({ body }) => body.leadId ?? []))];
  if (!ids.length) return new Map<number, OfLead>();
  const select = { id: true, teamId: true, accountId: true, partnerId: true };
  const leads = await tx.lead.findMany({ where: { id: { in: ids }, deletedAt: null }, select });
  return new Map(leads.map(({ id, ...ofLead }) => [id, ofLead]));
}

/** The first stage of new deals with its pipeline, read once for those that name the same one. */
function stageReader(tx: Tx) {
  const read = async (wanted: Parameters<typeof firstStageOf>[1]) => {
    const stage = await firstStageOf(tx, wanted);
    return { stage, pipeline: await pipelineOfStage(tx, stage) };
  };
  const known = new Map<string, ReturnType<typeof read>>();
  return ({ stageId, pipelineId }: NewOpportunity, teamId: number | null) => {
    const key = `${stageId} ${pipelineId} ${teamId}`;
    const found = known.get(key) ?? read({ stageId, pipelineId, teamId });
    known.set(key, found);
    return found;
  };
}

/**
 * The accounts that exist, locked against deletion until the end of the transaction, by id: presentAccount for a batch.
 */
async function holdAccounts(tx: Tx, accountIds: readonly (number | null)[]): Promise<Map<number, number | null>> {
  const ids = [...new Set(accountIds.filter((id) => id !== null))];
  if (!ids.length) return new Map();
  const found = await tx.sql<{ id: number }>`SELECT id FROM account
    WHERE id = ANY(${ids}::bigint[]) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`;
  const held = new Map<number, number | null>(found.map(({ id }) => [id, id]));
  for (const id of ids) if (!held.has(id)) held.set(id, await presentAccount(tx, id));
  return held;
}
