import { selectedLeadsMax } from '@tandem/contract';
import type { Peers } from '../../handler.ts';
import type { RuleRecord } from './enrollment-rule.ts';

/** The tenant of the job, for which other services are called. */
export interface As {
  tenantId: number;
  environment: 'live' | 'sandbox';
  requestId: string;
}

/** Learners who exist, one page after another; `next` is null at the end. */
export interface LearnerPage {
  learnerIds: number[];
  next: number | null;
}

// Users and partners of a page; pages of leads are smaller, because conditions are compared with each.
const pageMax = 250;

/** The learners among the given ones who meet a rule: active users, approved partners, or leads. */
export async function matchingLearners(
  peers: Peers,
  as: As,
  rule: RuleRecord,
  learnerIds: readonly number[],
): Promise<number[]> {
  const ids = [...new Set(learnerIds)];
  if (!ids.length) return [];
  if (rule.learnerType === 'user') return matchingUsers(peers, as, rule, ids);
  if (rule.learnerType === 'partner') return matchingPartners(peers, as, rule, ids);
  return matchingLeads(peers, as, rule, ids);
}

async function matchingUsers({ identity }: Peers, as: As, { roleIds, teamIds }: RuleRecord, userIds: number[]) {
  const users = await identity.findAssignees({ body: { userIds, teamIds: [] }, as });
  return users
    .filter(({ roleId }) => !roleIds.length || (typeof roleId === 'number' && roleIds.includes(roleId)))
    .filter((user) => !teamIds.length || user.teamIds.some((id) => teamIds.includes(id)))
    .map(({ id }) => id);
}

async function matchingPartners({ partner }: Peers, as: As, { tiers }: RuleRecord, ids: number[]) {
  const partners = await partner.findPartners({ body: { ids }, as });
  return partners
    .filter(({ status }) => status === 'approved')
    .filter(({ tier }) => !tiers.length || (tier && tiers.includes(tier)))
    .map(({ id }) => id);
}

async function matchingLeads({ crm }: Peers, as: As, { leadConditions: conditions }: RuleRecord, ids: number[]) {
  const found: number[] = [];
  let after: number | null = null;
  // A page can have fewer leads than its limit before the last one.
  do {
    const { leads, next }: { leads: { id: number }[]; next: number | null } = await crm.selectLeads({
      body: { conditions, ids, after, limit: Math.min(ids.length, selectedLeadsMax) },
      as,
    });
    found.push(...leads.map(({ id }) => id));
    after = next;
  } while (after !== null);
  return found;
}

/** The next learners who exist and meet a rule. */
export async function existingLearners(
  peers: Peers,
  as: As,
  rule: RuleRecord,
  after: number | null,
): Promise<LearnerPage> {
  if (rule.learnerType === 'lead') {
    const body = { conditions: rule.leadConditions, after, limit: pageMax };
    const { leads, next } = await peers.crm.selectLeads({ body, as });
    return { learnerIds: leads.map(({ id }) => id), next };
  }
  const ids =
    rule.learnerType === 'user'
      ? (await peers.identity.listActiveUsers({ body: { after, limit: pageMax }, as })).map(({ id }) => id)
      : (await peers.partner.exportPartners({ body: { after }, as })).map(({ record }) => record.id);
  return { learnerIds: await matchingLearners(peers, as, rule, ids), next: ids.at(-1) ?? null };
}
