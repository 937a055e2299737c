import { conditionFields, type LeadCondition } from '@tandem/contract';
import { meets } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Deed, Facts, History, Position } from './facts.ts';

type Operator = z.output<typeof LeadCondition>['operator'];

interface Asked {
  conditionField: string;
  conditionOperator?: Operator | undefined;
  conditionValue?: z.output<typeof LeadCondition>['value'] | undefined;
  /** Only what the lead did with the messages of this node. */
  nodeId?: string | undefined;
}

// Names of what a lead does, as people and models write them: email_opened, opened, link_clicked, has_replied.
const deedNames: readonly [RegExp, string][] = [
  [/open/, 'email_open'],
  [/click/, 'link_click'],
  [/repl(y|ied)/, 'email_reply'],
  [/form|submi/, 'form_submission'],
  [/visit/, 'page_visit'],
];
const leadFields = new Map(conditionFields.map((field) => [plain(field), field]));

/** The subject of a condition: membership in a segment, an action of the lead, or a field of the lead. */
export function subjectOf(conditionField: string): { segment: true } | { deed: string } | { field: string } {
  if (['segment', 'segmentid'].includes(plain(conditionField))) return { segment: true };
  if (conditionField.startsWith('customFields.')) return { field: conditionField };
  const field = leadFields.get(plain(conditionField).replace(/^lead/, ''));
  if (field) return { field };
  const deed = deedNames.find(([name]) => name.test(conditionField.toLowerCase()))?.[1];
  return deed ? { deed } : { field: `customFields.${conditionField.replaceAll(/[.\s]/g, '_').slice(0, 64)}` };
}

/** Whether a condition is met. Without an operator it asks whether the field is set, or has the value if there is one. */
export function isMet(asked: Asked, { lead, deeds, segments }: Pick<Facts, 'lead' | 'deeds' | 'segments'>): boolean {
  const { conditionField, conditionOperator, conditionValue = null, nodeId } = asked;
  const subject = subjectOf(conditionField);
  if ('segment' in subject) return segments.has(String(conditionValue)) !== (conditionOperator === 'not_equals');
  if ('deed' in subject) {
    const isNegated = conditionOperator === 'is_not_set' || conditionValue === false;
    return hasDone(deeds, subject.deed, { nodeId }) !== isNegated;
  }
  const operator = conditionOperator ?? (conditionValue === null ? 'is_set' : 'equals');
  return meets(lead, { field: subject.field, operator, value: conditionValue });
}

/** Whether the lead did something: with the messages of a node, or after a time. */
export function hasDone(
  deeds: readonly Deed[],
  type: string,
  { nodeId, since }: { nodeId?: string | undefined; since?: Date } = {},
): boolean {
  // Whoever clicks a link has opened the message, even if the client does not load images.
  const types = type === 'email_open' ? ['email_open', 'link_click'] : [type];
  return deeds.some(
    (deed) =>
      types.includes(deed.type) && (nodeId === undefined || deed.nodeId === nodeId) && (!since || deed.at >= since),
  );
}

/**
 * The time since which a deed ends the wait of an execution for an event: its last message, because people can react to it
 * before the execution reaches the wait; without a message, the beginning of the wait. In a cycle each visit of the node
 * needs a new deed.
 */
export function awaitedSince(
  { messageAt, leftAt }: History,
  { nodeId, enteredAt }: Pick<Position, 'nodeId' | 'enteredAt'>,
): Date {
  const since = messageAt ?? enteredAt;
  const left = leftAt.get(nodeId);
  return left && left >= since ? new Date(left.getTime() + 1) : since;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
