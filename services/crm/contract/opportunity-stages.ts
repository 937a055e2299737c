import { amount, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Lead, leadUnconverted, leadUpdated } from './lead.ts';
import { closedErrors } from './opportunities.ts';
import {
  Opportunity,
  OpportunityStatus,
  Outcome,
  opportunityDeleted,
  opportunityLost,
  opportunityReopened,
  opportunityStageChanged,
  opportunityUpdated,
  opportunityWon,
} from './opportunity.ts';
import { Competitor, closedAt, MoveReason, Note, ReasonCode, StageCode } from './opportunity-fields.ts';
import { moveErrors } from './pipelines.ts';

const withId = z.object({ id: id('opportunity') });

/** The outcome of a closed deal, with the name of its reason. */
export const OutcomeDetail = Outcome.extend({
  reason: text(200)
    .nullable()
    .meta({ description: 'The name of the reason; null without a reason', examples: ['Price'] }),
  closedAt: timestamp().meta({
    description: 'When the deal was won or lost',
    examples: ['2026-03-04T16:40:00.000Z'],
  }),
});

/** A stage that an opportunity is or was in. */
export const StageEntry = z.object({
  stage: StageCode,
  stageId: id('status_definition').describe('The definition of the stage, which may have been removed'),
  status: OpportunityStatus.describe('Whether the deal was open, won or lost in the stage'),
  enteredAt: timestamp().describe('When the opportunity entered the stage'),
  leftAt: timestamp()
    .nullable()
    .meta({ description: 'When the opportunity left the stage; null for the current stage', examples: [null] }),
  durationSeconds: z.int().meta({
    description: 'How long the opportunity was in the stage, until now for the current one',
    examples: [86_400],
  }),
  byUserId: id('user').nullable().describe('The user who moved the opportunity to the stage'),
  reason: MoveReason.nullable(),
});

/** Example of a closed opportunity. */
function closedAs(result: 'won' | 'lost', outcome: Record<string, string>) {
  return {
    status: result,
    allowedTransitions: ['open'],
    stage: `closed_${result}`,
    probability: result === 'won' ? 100 : 0,
    forecastCategory: 'closed',
    closedAt: '2026-03-04T16:40:00.000Z',
    daysInStage: 0,
    outcome: { result, reasonCode: null, note: null, competitor: null, byUserId: null, ...outcome },
  };
}

/** Fields of a move that closes the deal. */
const closing = {
  reasonCode: ReasonCode.nullish(),
  note: Note.nullish(),
  competitor: Competitor.nullish(),
  closedAt: closedAt(),
};

export const opportunityStages = operations({
  moveOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/stage',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Move an opportunity to another stage',
    description:
      'Send `stageId` or the code as `stage`. The probability becomes that of the stage, unless a user has set it. A move to a won or lost stage follows the rules of /win and /lose: a lost stage requires `reasonCode`. A closed deal must be reopened first. A move to the current stage changes nothing. `pipelineId` moves the deal to another pipeline: to the stage that is sent with it, or else to the default stage of that pipeline, which is the only one if deals of that pipeline skip no stages.',
    params: withId,
    body: z
      .object({
        stageId: id('status_definition').optional(),
        stage: StageCode.optional(),
        pipelineId: id('pipeline')
          .describe('The pipeline to move the deal to; by default the one that it is in')
          .optional(),
        reason: MoveReason.nullish(),
        ...closing,
      })
      .meta({ examples: [{ stage: 'proposal', reason: 'Budget was approved' }] }),
    reply: Opportunity,
    message: 'Opportunity moved',
    emits: [opportunityStageChanged, opportunityWon, opportunityLost],
    errors: { ...closedErrors, ...moveErrors },
  },
  winOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/win',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Mark an opportunity as won',
    description:
      'Moves the opportunity to the first won stage, or to the one that `stageId` names, and sets its probability to 100 %.',
    params: withId,
    body: z
      .object({
        value: amount().optional(),
        closedAt: closedAt(),
        stageId: id('status_definition').optional(),
        reasonCode: ReasonCode.nullish(),
        note: Note.nullish(),
      })
      .meta({ examples: [{ reasonCode: 'price', note: 'Signed for two years' }] }),
    reply: Opportunity,
    example: closedAs('won', { reasonCode: 'price', note: 'Signed for two years' }),
    message: 'Opportunity won',
    emits: [opportunityStageChanged, opportunityWon],
    errors: { ...closedErrors, ...moveErrors },
  },
  loseOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/lose',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Mark an opportunity as lost',
    description:
      'Moves the opportunity to the first lost stage (closed and not won), or to the one that `stageId` names, and sets its probability to 0 %.',
    params: withId,
    body: z
      .object({
        reasonCode: ReasonCode,
        note: Note.nullish(),
        competitor: Competitor.nullish(),
        closedAt: closedAt(),
        stageId: id('status_definition').optional(),
      })
      .meta({ examples: [{ reasonCode: 'price', competitor: 'Difference Ltd' }] }),
    reply: Opportunity,
    example: closedAs('lost', { reasonCode: 'price', competitor: 'Difference Ltd' }),
    message: 'Opportunity lost',
    emits: [opportunityStageChanged, opportunityLost],
    errors: { ...closedErrors, ...moveErrors },
  },
  reopenOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/reopen',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Reopen a won or lost opportunity',
    description:
      'Removes the outcome and moves the deal to the open stage that `stageId` names, by default to the last open stage that it was in. Unpaid commissions of a won deal are cancelled, and paid ones are clawed back. Winning the deal again earns them again.',
    params: withId,
    body: z
      .object({ stageId: id('status_definition').optional(), reason: MoveReason.nullish() })
      .meta({ examples: [{ reason: 'The contract was not signed' }] }),
    reply: Opportunity,
    message: 'Opportunity reopened',
    emits: [opportunityStageChanged, opportunityReopened],
    errors: { opportunity_open: [409, 'The opportunity is not closed'], ...moveErrors },
  },
  getOpportunityOutcome: {
    method: 'GET',
    path: '/v1/opportunities/:id/outcome',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'Retrieve the outcome of an opportunity',
    description: 'An open deal has no outcome: 409.',
    params: withId,
    reply: OutcomeDetail,
    message: 'Outcome retrieved',
    errors: { opportunity_open: [409, 'The opportunity is open, so it has no outcome'] },
  },
  listStageHistory: {
    method: 'GET',
    path: '/v1/opportunities/:id/stage-history',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'List the stages that an opportunity was in',
    params: withId,
    query: listQuery(['enteredAt']).omit({ search: true, createdFrom: true, createdTo: true }),
    reply: page(StageEntry),
    message: 'Stage history retrieved',
  },
  unconvertOpportunity: {
    method: 'POST',
    path: '/v1/opportunities/:id/unconvert',
    permission: 'opportunities:write',
    also: ['leads:write'],
    narrows: true,
    summary: 'Undo the conversion of a lead',
    description:
      'Deletes the open opportunity that a lead was converted to, or removes the lead from it if the conversion linked an existing opportunity. An opportunity that had the lead before it was linked keeps it. The lead keeps the status qualified, which can change again, and can be converted again. Not possible for a deal that was ever won.',
    params: withId,
    body: z.object({ reason: MoveReason.nullish() }).meta({ examples: [{ reason: 'Converted by mistake' }] }),
    reply: Lead,
    message: 'Conversion undone',
    emits: [leadUpdated, leadUnconverted, opportunityDeleted, opportunityUpdated],
    errors: {
      ...closedErrors,
      not_converted: [409, 'No lead was converted to this opportunity'],
      opportunity_deleted: [409, 'This opportunity is deleted; restore it first'],
      lead_deleted: [409, 'The lead of this opportunity is deleted; restore it first'],
      opportunity_was_won: [409, 'The opportunity was won before, so its conversion cannot be undone'],
    },
  },
});
