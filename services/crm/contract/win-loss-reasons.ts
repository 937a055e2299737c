import { code, event, flag, id, listQuery, name, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { DealResult } from './opportunity.ts';

const Outcome = DealResult.describe('Whether the reason explains won or lost deals');

/** A reason for winning or losing a deal. */
export const WinLossReason = z.object({
  id: id('win_loss_reason'),
  outcome: Outcome,
  code: code().meta({ description: 'The code of the reason, unique for its outcome', examples: ['no_budget'] }),
  name: name().meta({ examples: ['No budget'] }),
  active: z.boolean().meta({ description: 'Whether deals can be closed with this reason', examples: [true] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A reason with the number of deals that were closed with it. */
export const CountedReason = WinLossReason.extend({
  usedCount: z.int().meta({ description: 'The number of deals with this reason', examples: [0] }),
});

const about = z.object({ winLossReasonId: id('win_loss_reason'), outcome: Outcome, code: code() });

export const winLossReasonCreated = event('win_loss_reason.created', {
  description: 'A reason for won or lost deals is created',
  action: 'win_loss_reason.create',
  target: 'win_loss_reason',
  data: about,
  record: WinLossReason,
});

export const winLossReasonUpdated = event('win_loss_reason.updated', {
  description: 'A reason for won or lost deals is updated',
  action: 'win_loss_reason.update',
  target: 'win_loss_reason',
  data: about,
  record: WinLossReason,
});

export const winLossReasonDeleted = event('win_loss_reason.deleted', {
  description: 'A reason for won or lost deals is deleted',
  action: 'win_loss_reason.delete',
  target: 'win_loss_reason',
  data: about,
  record: WinLossReason,
});

/** The maximum number of reasons. */
export const reasonsMax = 200;
const withId = z.object({ id: id('win_loss_reason') });

export const winLossReasons = operations({
  createWinLossReason: {
    method: 'POST',
    path: '/v1/config/win-loss-reasons',
    permission: 'config:write',
    summary: 'Create a win-loss reason',
    body: WinLossReason.pick({ outcome: true, code: true, name: true }).extend({ active: z.boolean().default(true) }),
    reply: CountedReason,
    status: 201,
    message: 'Reason created',
    emits: [winLossReasonCreated],
    errors: {
      code_taken: [409, 'Another reason for this outcome has this code; use a different one'],
      too_many_reasons: [409, `A tenant has at most ${reasonsMax} reasons`],
    },
  },
  listWinLossReasons: {
    method: 'GET',
    path: '/v1/config/win-loss-reasons',
    permission: 'config:read',
    summary: 'List win-loss reasons',
    description: 'With the number of deals that have each reason. `search` covers the code and the name.',
    query: listQuery(['createdAt', 'code', 'name']).extend({ outcome: Outcome.optional(), active: flag().optional() }),
    reply: page(CountedReason),
    message: 'Reasons retrieved',
  },
  getWinLossReason: {
    method: 'GET',
    path: '/v1/config/win-loss-reasons/:id',
    permission: 'config:read',
    summary: 'Retrieve a win-loss reason',
    params: withId,
    reply: CountedReason,
    message: 'Reason retrieved',
  },
  updateWinLossReason: {
    method: 'PATCH',
    path: '/v1/config/win-loss-reasons/:id',
    permission: 'config:write',
    summary: 'Update a win-loss reason',
    description: 'Deals keep a reason that is no longer active. The outcome and the code never change.',
    params: withId,
    body: z.object({ name: name().optional(), active: z.boolean().optional() }),
    reply: CountedReason,
    message: 'Reason updated',
    emits: [winLossReasonUpdated],
  },
  deleteWinLossReason: {
    method: 'DELETE',
    path: '/v1/config/win-loss-reasons/:id',
    permission: 'config:delete',
    summary: 'Delete a win-loss reason',
    description: 'A reason that deals have cannot be deleted; set `active` to false instead.',
    params: withId,
    reply: z.object({ id: id('win_loss_reason'), deleted: z.literal(true).describe('Always true') }),
    message: 'Reason deleted',
    emits: [winLossReasonDeleted],
    errors: { reason_in_use: [409, 'Deals have this reason; set active to false instead'] },
  },
});
