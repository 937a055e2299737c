import type { Caller } from '@tandem/caller';
import type { opportunities } from '@tandem/crm-contract';
import { type Assignee, checkUser, failField } from '@tandem/service';
import { checkPartner } from '../../check-partner.ts';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { changeOpportunity, type FieldChange } from './change-opportunity.ts';
import { lockOpportunity } from './opportunity.ts';
import type { MoveRequest } from './plan-move.ts';

export const updateOpportunity = (
  peers: Peers,
): Handler<typeof opportunities.updateOpportunity, { owner: Assignee | undefined; roleId: MoverRole }> => ({
  async check({ body, caller, tx, under }) {
    await checkAccount({ under, tx }, body.accountId);
    return { owner: await checkReferences(peers, body, caller), roleId: await moverRole(peers, tx, caller) };
  },
  async run({ params, body, caller, tx, emit, ifMatch, found }) {
    const opportunity = await lockOpportunity(tx, params.id);
    ifMatch(opportunity);
    return changeOpportunity({ tx, emit, caller }, { opportunity, ...splitChange(body), ...found });
  },
});

interface References {
  ownerId?: number | null | undefined;
  teamId?: number | null | undefined;
  partnerId?: number | null | undefined;
}

/**
 * The new owner, if the change names one; fails unless owner, team and partner can be used.
 * @param within the place of the change in the body, for field errors: `change.`
 */
export async function checkReferences(
  peers: Peers,
  { ownerId, teamId, partnerId }: References,
  caller: Caller,
  within = '',
): Promise<Assignee | undefined> {
  const owner = await checkUser(peers, `${within}ownerId`, ownerId, caller);
  await checkTeam(peers, teamId, caller, `${within}teamId`);
  await checkPartner(peers, partnerId, caller, `${within}partnerId`);
  return owner;
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
