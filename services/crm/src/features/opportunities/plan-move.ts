import { actingUserId, type Caller } from '@tandem/caller';
import { opportunityStates } from '@tandem/crm-contract';
import { fail, failField, transitionError } from '@tandem/service';
import { Prisma, type StatusDefinition } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { presentAccount } from '../accounts/survivor.ts';
import { checkStageMove } from '../pipelines/check-stage-move.ts';
import { holdStage } from '../pipelines/hold-stage.ts';
import type { MoverRole } from '../pipelines/mover-role.ts';
import { checkReason } from '../win-loss-reasons/check-reason.ts';
import { amountColumns, type LockedOpportunity } from './opportunity.ts';
import { nextEntryTime } from './stage-history.ts';
import { currentStage, type DealStatus, firstClosedStage, lastOpenStage, namedStage, statusIn } from './stages.ts';

// Allows for clock differences between clients and the server.
const clockToleranceMs = 60_000;

/** A requested move: to a stage, to a status, or to both if they agree. */
export interface MoveRequest {
  status?: DealStatus | undefined;
  stageId?: number | undefined;
  stage?: string | undefined;
  /** For a move to another pipeline. */
  pipelineId?: number | undefined;
  reason?: string | null | undefined;
  /** For a move that closes the deal. */
  value?: number | undefined;
  reasonCode?: string | null | undefined;
  note?: string | null | undefined;
  competitor?: string | null | undefined;
  closedAt?: Date | undefined;
}

const details = ['reasonCode', 'note', 'competitor', 'closedAt'] as const;

/** Whether a request describes how the deal is closed. */
function hasDetails(request: MoveRequest): boolean {
  return details.some((field) => request[field] !== undefined);
}

/** The caller of a move with their role, and the values that the same request gives to fields. */
export interface MoveContext {
  caller: Caller;
  /** The result of `moverRole`. */
  roleId: MoverRole;
  fields?: { accountId?: number | null | undefined };
}

/** A checked move, with the columns that it changes. */
export type Move = NonNullable<Awaited<ReturnType<typeof planMove>>>;

/**
 * Checks a move of a locked opportunity.
 * @returns undefined when the opportunity is there already
 * @throws 409 for a move of a closed deal other than reopening it, 422 naming the field that prevents the move
 */
export async function planMove(
  tx: Tx,
  opportunity: LockedOpportunity,
  request: MoveRequest,
  { caller, roleId, fields = {} }: MoveContext,
) {
  const named = await namedStage(tx, opportunity, request);
  const { status: wanted = named && statusIn(named) } = request;
  if (named && wanted !== statusIn(named))
    throw failField(
      'stageId',
      `A deal in this stage is ${statusIn(named)}; send the id of a stage in which it is ${wanted}`,
    );
  const { status } = opportunity;
  const isThere = named ? named.id === opportunity.stageId : wanted === status;
  if (wanted === undefined || (isThere && (status === 'open' || !hasDetails(request)))) return undefined;
  if (status !== 'open' && request.status !== 'open')
    throw fail('opportunity_closed', [transitionError(status, opportunityStates.next(status))]);
  const isClosing = wanted !== 'open';
  const stage =
    named ?? (isClosing ? await firstClosedStage(tx, opportunity, wanted) : await lastOpenStage(tx, opportunity));
  const columns = isClosing
    ? closing(opportunity, { stage, result: wanted, request, caller })
    : opening(opportunity, stage);
  if (isClosing && request.reasonCode) await checkReason(tx, wanted, request.reasonCode);
  await holdStage(tx, stage);
  const from = await currentStage(tx, opportunity);
  const deal = { ...opportunity, ...fields, ...(request.value !== undefined && { value: request.value }) };
  await checkStageMove(tx, { from, to: stage, roleId, deal });
  // Its account may have been merged or deleted while the deal was closed.
  const isReopened = status !== 'open' && !isClosing;
  const isKept = isReopened && fields.accountId === undefined;
  const account = isKept && { accountId: await presentAccount(tx, opportunity.accountId) };
  return { stage, status: wanted, columns: { ...columns, ...account } };
}

/** Columns of a move to an open stage. */
function opening(opportunity: LockedOpportunity, stage: StatusDefinition) {
  const isReopened = opportunity.status !== 'open';
  return {
    ...stageColumns(opportunity, stage),
    ...(!opportunity.probabilityOverridden && { probability: stage.defaultProbability ?? 0 }),
    ...(isReopened && {
      status: 'open' as const,
      closedAt: null,
      outcome: Prisma.DbNull,
      forecastCategory: 'pipeline' as const,
    }),
  };
}

interface Closing {
  stage: StatusDefinition;
  result: 'won' | 'lost';
  request: MoveRequest;
  caller: Caller;
}

/** Columns of a move that closes the deal. */
function closing(opportunity: LockedOpportunity, { stage, result, request, caller }: Closing) {
  const { value, reasonCode = null, note = null, competitor = null, closedAt = new Date() } = request;
  checkClosedAt(closedAt, opportunity.createdAt);
  if (result === 'lost' && reasonCode === null) throw failField('reasonCode', 'Is required to lose a deal');
  const isWon = result === 'won';
  return {
    ...stageColumns(opportunity, stage),
    ...(value !== undefined && amountColumns(value, opportunity.currency)),
    status: result,
    closedAt,
    probability: isWon ? 100 : 0,
    probabilityOverridden: false,
    forecastCategory: isWon ? ('closed' as const) : ('omitted' as const),
    outcome: {
      result,
      reasonCode,
      note,
      competitor,
      byUserId: actingUserId(caller) ?? null,
    },
  };
}

function stageColumns(opportunity: LockedOpportunity, stage: StatusDefinition) {
  return {
    pipelineId: stage.pipelineId,
    stage: stage.code,
    stageId: stage.id,
    stageEnteredAt: nextEntryTime(opportunity),
  };
}

function checkClosedAt(closedAt: Date, createdAt: Date): void {
  if (closedAt.getTime() > Date.now() + clockToleranceMs) throw failField('closedAt', 'Must not be in the future');
  if (closedAt.getTime() < createdAt.getTime() - clockToleranceMs)
    throw failField('closedAt', 'Must not be before the opportunity was created');
}
