import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unionMember, unknownId } from '@tandem/contract';
import { asService, fail, failField } from '@tandem/service';
import { LearnerType, type learnerTypes } from '@tandem/training-contract';
import type { Peers } from '../../handler.ts';

/** A user, partner or lead who takes courses. */
export interface Learner {
  type: (typeof learnerTypes)[number];
  id: number;
}

/** A learner: the name of one who exists, and why the learner cannot be enrolled. */
export interface FoundLearner {
  name?: string;
  problem?: string;
}

type Found = Map<number, FoundLearner>;
type Asked = { ids: number[]; peers: Peers; caller: Caller };

// The most records that the services return per request.
const [usersMax, partnersMax, leadsMax] = [1_000, 500, 250];

/**
 * The learner that a number of the union stands for.
 * @throws 404 for a number that stands for nobody, which the gateway never sends
 */
export function learnerOf(number: number): Learner {
  const learner = unionMember('learner', number);
  if (!learner) throw fail('not_found');
  return learner;
}

/** Reads learners from the services that store them; the result has an entry for each. */
export async function findLearners(peers: Peers, caller: Caller, learners: readonly Learner[]) {
  const idsOf = (type: Learner['type']) => learners.flatMap((one) => (one.type === type ? [one.id] : []));
  const [user, partner, lead] = await Promise.all([
    findUsers({ ids: idsOf('user'), peers, caller }),
    findPartners({ ids: idsOf('partner'), peers, caller }),
    findLeads({ ids: idsOf('lead'), peers, caller }),
  ]);
  const found = { user, partner, lead };
  return ({ type, id }: Learner): FoundLearner => found[type].get(id) ?? { problem: unknownId(type) };
}

/** @throws 422 if the learner of an enrolment that has ended cannot be enrolled any more: they may have left since */
export async function rejectLeft(
  peers: Peers,
  caller: Caller,
  { learnerType, learnerId }: { learnerType: string; learnerId: number },
): Promise<void> {
  const learner: Learner = { type: LearnerType.parse(learnerType), id: learnerId };
  const { problem } = (await findLearners(peers, caller, [learner]))(learner);
  if (problem) throw failField('learnerId', problem);
}

async function findUsers({ ids, peers: { identity }, caller }: Asked): Promise<Found> {
  const as = asService(caller);
  const [only] = ids;
  if (only !== undefined && ids.length === 1) {
    const user = await orAbsent(identity.findUser({ params: { id: only }, as }));
    if (!user) return new Map();
    const problem = user.status === 'active' ? undefined : 'The user is not active; send the id of an active user';
    return new Map([[only, { name: user.name, ...(problem && { problem }) }]]);
  }
  const found: Found = new Map(ids.map((id) => [id, { problem: 'Is not an active user' }]));
  for (const userIds of inParts(ids, usersMax))
    for (const { id, name } of await identity.findAssignees({ body: { userIds, teamIds: [] }, as }))
      found.set(id, { name: name ?? '' });
  return found;
}

async function findPartners({ ids, peers: { partner }, caller }: Asked): Promise<Found> {
  const found: Found = new Map();
  for (const part of inParts(ids, partnersMax))
    for (const { id, status, ...person } of await partner.findPartners({
      body: { ids: part },
      as: asService(caller),
    })) {
      const problem =
        status === 'approved' ? undefined : `The partner is ${status}; send the id of an approved partner`;
      found.set(id, { name: fullName(person), ...(problem && { problem }) });
    }
  return found;
}

async function findLeads({ ids, peers: { crm }, caller }: Asked): Promise<Found> {
  const found: Found = new Map();
  for (const part of inParts(ids, leadsMax))
    for (const lead of await crm.findLeads({ body: { ids: part }, as: asService(caller) }))
      found.set(lead.id, { name: fullName(lead) });
  return found;
}

function fullName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`;
}

function inParts(ids: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) =>
    ids.slice(index * size, (index + 1) * size),
  );
}
