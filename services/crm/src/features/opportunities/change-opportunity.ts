import { actingUserId, type Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import {
  opportunityLost,
  opportunityReopened,
  opportunityStageChanged,
  opportunityUpdated,
  opportunityWon,
} from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, diff, fail, failField, teamOfAssignee, toJsonColumn } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { holdAccount } from '../accounts/account.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import type { MoverRole } from '../pipelines/mover-role.ts';
import { amountColumns, type LockedOpportunity, type OpportunityRecord, writeOpportunity } from './opportunity.ts';
import { type Move, type MoveRequest, planMove } from './plan-move.ts';
import { enterStage, leaveStage } from './stage-history.ts';
import { currentStage } from './stages.ts';

type Writable = Pick<
  OpportunityRecord,
  | 'name'
  | 'value'
  | 'currency'
  | 'forecastCategory'
  | 'expectedCloseAt'
  | 'ownerId'
  | 'teamId'
  | 'leadId'
  | 'accountId'
  | 'partnerId'
  | 'customFields'
  | 'notes'
>;

/** The fields of an opportunity that a request can change. A probability of null makes it follow the stage. */
export type FieldChange = { [Field in keyof Writable]?: Writable[Field] | undefined } & {
  probability?: number | null | undefined;
};

interface Change {
  opportunity: LockedOpportunity;
  fields?: FieldChange;
  move?: MoveRequest | undefined;
  /** The user that `ownerId` names. */
  owner?: Pick<Assignee, 'id' | 'teamIds'> | undefined;
  /** The result of `moverRole`, which a move needs. */
  roleId?: MoverRole;
}

interface Context {
  tx: Tx;
  emit: Emit;
  caller: Caller;
}

/** Fields of a closed deal that can change. */
const openFields = new Set(['customFields', 'notes']);

/**
 * Changes fields of a locked opportunity, moves it to another stage, or both, as one version with the events of each. A
 * change that changes nothing is none. Everything is checked before the first write.
 */
export async function changeOpportunity(
  { tx, emit, caller }: Context,
  { opportunity, fields = {}, move: request, owner, roleId }: Change,
): Promise<OpportunityRecord> {
  const move = request && (await planMove(tx, opportunity, request, { caller, roleId, fields }));
  const wanted = await probabilityFor(tx, opportunity, withTeam(opportunity, fields, owner));
  const { isEmpty, values } = diff(opportunity, wanted);
  if (move && move.status !== 'open') checkSetByClosing(fields, move);
  if (opportunity.status !== 'open' && move?.status !== 'open') checkClosed(Object.keys(values));
  if (isEmpty && !move) return opportunity;
  await checkAccountExists(tx, values.accountId);
  const { customFields } = values;
  const custom =
    customFields && (await customWrite(tx, 'opportunity', { after: customFields, before: opportunity.customFields }));
  const columns = {
    ...columnsOf(opportunity, values),
    ...custom?.columns,
    ...move?.columns,
    ...(move?.status === 'open' && sentWith(move, fields)),
  };
  if (custom) await claimValues(tx, custom, opportunity.id);
  if (move) await leaveStage(tx, opportunity, move.columns.stageEnteredAt);
  const after = await writeOpportunity(tx, opportunity.id, columns);
  const { audit } = diff(opportunity, pick(after, Object.keys(values)));
  const changed = Object.keys(audit);
  if (changed.length)
    emit(opportunityUpdated, { data: { opportunityId: after.id, fields: changed }, record: after, changes: audit });
  if (move) {
    const byUserId = actingUserId(caller) ?? null;
    const reason = request?.reason ?? null;
    await enterStage(tx, after, { enteredAt: after.stageEnteredAt, byUserId, reason });
    emitMove(emit, { before: opportunity, after, move, reason });
  }
  return after;
}

/** Holds the account until the end of the transaction, so that it is not deleted meanwhile. */
async function checkAccountExists(tx: Tx, accountId: number | null | undefined): Promise<void> {
  if (accountId && (await holdAccount(tx, accountId)) === null) throw failField('accountId', unknownId('account'));
}

function checkClosed(fields: string[]): void {
  const refused = fields.filter((field) => !openFields.has(field));
  const message = 'Cannot change while the opportunity is closed; reopen it first';
  if (refused.length)
    throw fail(
      'opportunity_closed',
      refused.map((field) => ({ field, message })),
    );
}

/** A deal follows a new owner into their team, unless the request names a team. */
function withTeam(
  opportunity: OpportunityRecord,
  fields: FieldChange,
  owner: Pick<Assignee, 'id' | 'teamIds'> | undefined,
): FieldChange {
  if (!owner || owner.id === opportunity.ownerId || fields.teamId !== undefined) return fields;
  return { ...fields, teamId: teamOfAssignee(owner.teamIds, opportunity.teamId) };
}

/** A probability that a user sets no longer follows the stage; null makes it follow again. */
async function probabilityFor(tx: Tx, opportunity: OpportunityRecord, { probability, ...fields }: FieldChange) {
  if (probability === undefined) return fields;
  if (probability !== null) return { ...fields, probability, probabilityOverridden: true };
  if (!opportunity.probabilityOverridden) return fields;
  const { defaultProbability } = await currentStage(tx, opportunity);
  return { ...fields, probability: defaultProbability ?? 0, probabilityOverridden: false };
}

/** Fails for fields that a move to a won or lost stage sets to another value. */
function checkSetByClosing(fields: FieldChange, { columns, status }: Move): void {
  for (const field of ['probability', 'forecastCategory'] as const) {
    const sent = fields[field] ?? undefined;
    if (sent !== undefined && sent !== (columns as FieldChange)[field])
      throw failField(field, `Is set by the move, because the deal is ${status} then; omit it`);
  }
}

/** Fields of the same request apply to the stage that it moves the deal to. */
function sentWith({ stage }: Move, { probability, forecastCategory }: FieldChange) {
  return {
    ...(probability !== undefined && { probability: probability ?? stage.defaultProbability ?? 0 }),
    ...(forecastCategory !== undefined && { forecastCategory }),
  };
}

function pick(record: OpportunityRecord, fields: string[]): Partial<OpportunityRecord> {
  return Object.fromEntries(fields.map((field) => [field, record[field as keyof OpportunityRecord]]));
}

type Values = Omit<FieldChange, 'probability'> & { probability?: number; probabilityOverridden?: boolean };

function columnsOf(opportunity: OpportunityRecord, { value, currency, customFields, ...others }: Values) {
  const isAmount = value !== undefined || currency !== undefined;
  const nextCurrency = currency ?? opportunity.currency;
  return {
    ...(others as { [Field in keyof typeof others]: Exclude<(typeof others)[Field], undefined> }),
    ...(isAmount && { ...amountColumns(value ?? opportunity.value, nextCurrency), currency: nextCurrency }),
    ...(customFields && { customFields: toJsonColumn(customFields) }),
  };
}

interface Moved {
  before: LockedOpportunity;
  after: LockedOpportunity;
  move: Move;
  reason: string | null;
}

function emitMove(emit: Emit, { before, after, move, reason }: Moved): void {
  const { id: opportunityId, value, currency, stage, outcome } = after;
  emit(opportunityStageChanged, {
    data: { opportunityId, from: before.stage, to: stage },
    record: after,
    changes: stageChanges(before, after),
  });
  if (move.status === 'won') emit(opportunityWon, { data: { opportunityId, value, currency }, record: after });
  if (move.status === 'lost')
    emit(opportunityLost, { data: { opportunityId, reason: outcome?.reasonCode ?? '' }, record: after });
  if (before.status !== 'open')
    emit(opportunityReopened, { data: { opportunityId, result: before.status, reason }, record: after });
}

/** Changes of a move for the audit log. */
export function stageChanges(before: OpportunityRecord, after: OpportunityRecord) {
  const fields = [
    'status',
    'pipelineId',
    'stage',
    'value',
    'probability',
    'forecastCategory',
    'closedAt',
    'outcome',
    // A deal that is opened again loses an account that was deleted meanwhile.
    'accountId',
  ] as const;
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}

/** Separates the fields of a body from the move that it requests. */
export function splitChange(
  body: FieldChange & MoveRequest,
  within = '',
): { fields: FieldChange; move: MoveRequest | undefined } {
  const { status, stageId, stage, reason, reasonCode, note, competitor, closedAt, ...fields } = body;
  const details = { reason, reasonCode, note, competitor, closedAt };
  if (status !== undefined || stageId !== undefined || stage !== undefined)
    return { fields, move: { status, stageId, stage, ...details } };
  const [lone] = Object.entries(details).find(([, value]) => value !== undefined) ?? [];
  if (lone) throw failField(`${within}${lone}`, 'Applies only to a move; send stageId, stage or status as well');
  return { fields, move: undefined };
}
