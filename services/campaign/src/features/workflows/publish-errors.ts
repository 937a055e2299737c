import { type NodeType, nodeData } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import { conditionErrors, Lead, TaskType } from '@tandem/crm-contract';
import { readFields } from '@tandem/service';
import { z } from 'zod';
import { subjectOf } from '../engine/conditions.ts';
import { createGraph, type Graph, type GraphNode, holdsLead, type StoredGraph } from '../engine/graph.ts';
import { leadFields } from '../engine/outside/lead-fields.ts';
import { syntaxErrors } from '../templates/render.ts';

const branches: Partial<Record<NodeType, readonly string[]>> = {
  condition: ['yes', 'no', 'default'],
  wait_for_event: ['yes', 'no', 'default'],
};

/** The errors that prevent the publication of a workflow; the field names the node: `nodes.<nodeId>.subjectLine`. */
export function publishErrors(stored: StoredGraph): FieldError[] {
  const graph = createGraph(stored);
  const data = graph.nodes.flatMap(dataErrors);
  return [
    ...triggerErrors(graph),
    ...data,
    ...reactionErrors(graph),
    ...edgeErrors(graph, stored),
    ...cycleErrors(graph),
  ];
}

const of = ({ nodeId }: GraphNode, field?: string) => `nodes.${nodeId}${field ? `.${field}` : ''}`;

function triggerErrors(graph: Graph): FieldError[] {
  const triggers = graph.nodes.filter(({ type }) => type === 'trigger');
  const [trigger, ...others] = triggers;
  if (!trigger) return [{ field: 'nodes', message: 'Must contain a node of the type trigger' }];
  const reached = reachable(graph, trigger.nodeId);
  return [
    ...others.map((node) => ({ field: of(node), message: `Remove this trigger; ${trigger.nodeId} is one already` })),
    ...graph.nodes
      .filter((node) => node.type !== 'trigger' && !reached.has(node.nodeId))
      .map((node) => ({ field: of(node), message: 'Cannot be reached from the trigger; connect it or remove it' })),
  ];
}

function reachable(graph: Graph, start: string): Set<string> {
  const reached = new Set([start]);
  for (const nodeId of reached) for (const target of graph.targets(nodeId)) reached.add(target);
  return reached;
}

function dataErrors(node: GraphNode): FieldError[] {
  const errors: FieldError[] = [];
  const data = readFields(nodeData[node.type], node.data, errors);
  if (!data) return errors.map(({ field, message }) => ({ field: of(node, field), message }));
  return ownErrors(node, data);
}

function ownErrors(node: GraphNode, data: Record<string, unknown>): FieldError[] {
  const { type } = node;
  if (type === 'trigger') return triggerDataErrors(node, data);
  if (type === 'email') return emailErrors(node, data);
  if (type === 'notify') return textErrors(node, 'message', data['message'] as string);
  if (type === 'sms') return smsErrors(node, data);
  if (type === 'create_task') return taskErrors(node, data);
  if (type === 'condition') return conditionNodeErrors(node, data);
  if (type === 'wait' && data['duration'] === undefined && data['at'] === undefined)
    return [{ field: of(node, 'duration'), message: 'Is required unless the node has `at`' }];
  if (type === 'split') return splitErrors(node, data as { variants: { key: string; weight: number }[] });
  if (type === 'goal' && data['event'] === undefined && !(data['conditions'] as unknown[] | undefined)?.length)
    return [{ field: of(node, 'event'), message: 'Is required unless the node has `conditions`' }];
  if (type === 'update_lead') return updateErrors(node, data);
  return [];
}

// The setting that a trigger of a type needs to find leads.
const needed: Readonly<Record<string, string>> = {
  date: 'dateField',
  inactivity: 'inactiveDays',
  segment: 'segmentId',
};

function triggerDataErrors(node: GraphNode, data: Record<string, unknown>): FieldError[] {
  const { triggerType, fields } = data;
  if (triggerType === 'lead_updated') return changedFieldErrors(node, fields as string[] | undefined);
  const field = needed[String(triggerType)];
  return field === undefined || data[field] !== undefined
    ? []
    : [{ field: of(node, field), message: `Is required for the trigger ${triggerType}` }];
}

// The fields that a trigger can name; the others never change, or change with every other field.
const { id, tenantId, allowedTransitions, createdBy, createdAt, updatedAt, version, ...changeable } = Lead.shape;
const changeableFields = Object.keys(changeable);

/** A trigger would never fire for a field that a lead does not have. */
function changedFieldErrors(node: GraphNode, fields: readonly string[] = []): FieldError[] {
  return fields.flatMap((name, index) =>
    changeableFields.includes(name) || /^customFields\.[^.\s]{1,64}$/.test(name)
      ? []
      : [
          {
            field: of(node, `fields.${index}`),
            message: `Must be one of ${changeableFields.join(', ')} or customFields.<key>`,
          },
        ],
  );
}

function emailErrors(
  node: GraphNode,
  { subjectLine, preheader, html, text, templateId }: Record<string, unknown>,
): FieldError[] {
  // A template has a subject; see `template-errors.ts` for whether it can be used.
  if (!subjectLine && templateId === undefined)
    return [{ field: of(node, 'subjectLine'), message: 'Is required unless the node has `templateId`' }];
  const texts = {
    subject: subjectLine ?? null,
    preheader: preheader ?? null,
    html: html ?? null,
    text: text ?? null,
  } as Parameters<typeof syntaxErrors>[0];
  return syntaxErrors(texts).map(({ field, message }) => ({
    field: of(node, field === 'subject' ? 'subjectLine' : field),
    message,
  }));
}

function smsErrors(node: GraphNode, { text, templateId }: Record<string, unknown>): FieldError[] {
  if (templateId !== undefined)
    return text === undefined
      ? []
      : [{ field: of(node, 'text'), message: 'Must be omitted, because the node has `templateId`' }];
  if (typeof text !== 'string' || !text.trim())
    return [{ field: of(node, 'text'), message: 'Is required unless the node has `templateId`' }];
  return textErrors(node, 'text', text);
}

function taskErrors(node: GraphNode, { title, type }: Record<string, unknown>): FieldError[] {
  const errors: FieldError[] = [];
  readFields(z.object({ type: TaskType.optional() }), { type }, errors);
  const ofType = errors.map(({ field, message }) => ({ field: of(node, field), message }));
  return [...ofType, ...textErrors(node, 'title', title as string)];
}

function textErrors(node: GraphNode, field: string, text: string): FieldError[] {
  return syntaxErrors({ text }).map(({ message }) => ({ field: of(node, field), message }));
}

function conditionNodeErrors(node: GraphNode, data: Record<string, unknown>): FieldError[] {
  const subject = subjectOf(data['conditionField'] as string);
  if ('segment' in subject) return segmentConditionErrors(node, data);
  if ('deed' in subject || data['conditionOperator'] === undefined) return [];
  const value = (data['conditionValue'] ?? null) as Parameters<typeof conditionErrors>[0]['value'];
  const operator = data['conditionOperator'] as Parameters<typeof conditionErrors>[0]['operator'];
  return conditionErrors({ field: subject.field, operator, value }).map(({ field, message }) => ({
    field: of(node, field === 'operator' ? 'conditionOperator' : 'conditionValue'),
    message,
  }));
}

/** A condition about what the lead did with a message that the workflow does not have would never be met. */
function reactionErrors(graph: Graph): FieldError[] {
  return graph.nodes.flatMap((node) => {
    const { conditionField, nodeId } = nodeData.condition.safeParse(node.data).data ?? {};
    if (node.type !== 'condition' || conditionField === undefined || !('deed' in subjectOf(conditionField))) return [];
    return messageErrors(graph, of(node, 'nodeId'), nodeId);
  });
}

/** The error of a field that names a node which sends no message; none without a name. */
export function messageErrors(graph: Graph, field: string, nodeId: string | undefined): FieldError[] {
  const named = graph.nodes.find((node) => node.nodeId === nodeId);
  if (nodeId === undefined || named?.type === 'email' || named?.type === 'sms') return [];
  return [{ field, message: 'Must be the nodeId of an email or sms node of this workflow' }];
}

/** Whether the segment exists is checked elsewhere: see `draft-errors.ts`. */
function segmentConditionErrors(node: GraphNode, data: Record<string, unknown>): FieldError[] {
  const { conditionOperator: operator = 'equals', conditionValue: value } = data;
  return [
    ...(typeof value === 'string' && value
      ? []
      : [{ field: of(node, 'conditionValue'), message: 'Must be the id of a segment' }]),
    ...(operator === 'equals' || operator === 'not_equals'
      ? []
      : [{ field: of(node, 'conditionOperator'), message: 'Must be equals or not_equals for a segment' }]),
  ];
}

function splitErrors(node: GraphNode, { variants }: { variants: { key: string; weight: number }[] }): FieldError[] {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const keys = new Set(variants.map(({ key }) => key));
  return [
    ...(Math.abs(total - 100) > 0.01
      ? [{ field: of(node, 'variants'), message: `The weights must add up to 100; they add up to ${total}` }]
      : []),
    ...(keys.size < variants.length ? [{ field: of(node, 'variants'), message: 'Each key must be unique' }] : []),
  ];
}

function updateErrors(node: GraphNode, { fields, addTags, removeTags }: Record<string, unknown>): FieldError[] {
  if (fields === undefined && addTags === undefined && removeTags === undefined)
    return [{ field: of(node, 'fields'), message: 'Is required unless the node has `addTags` or `removeTags`' }];
  const errors: FieldError[] = [];
  readFields(z.object({ fields: leadFields.optional() }), { fields }, errors);
  return errors.map(({ field, message }) => ({ field: of(node, field), message }));
}

function edgeErrors(graph: Graph, { edges }: StoredGraph): FieldError[] {
  const outgoing = Map.groupBy(edges, ({ source }) => source);
  return graph.nodes.flatMap((node) => {
    const found = outgoing.get(node.nodeId) ?? [];
    const known = branchesOf(node);
    if (!known)
      return found.length > 1
        ? [{ field: of(node), message: 'Must have at most one outgoing edge; use a condition or split for several' }]
        : [];
    const wrong = found.find(({ branch }) => branch !== undefined && !known.includes(branch));
    if (wrong)
      return [{ field: of(node), message: `The branch of ${wrong.edgeId} must be one of ${known.join(', ')}` }];
    if (node.type === 'split' && found.some(({ branch }) => branch === undefined))
      return [{ field: of(node), message: 'Each outgoing edge needs a branch: the key of a variant, or default' }];
    const names = found.flatMap(({ branch }) => branch ?? []);
    if (new Set(names).size < names.length)
      return [{ field: of(node), message: 'Two outgoing edges have the same branch' }];
    return found.length > known.length ? [{ field: of(node), message: 'Has more outgoing edges than branches' }] : [];
  });
}

function branchesOf({ type, data }: GraphNode): readonly string[] | undefined {
  if (type !== 'split') return branches[type];
  const { data: checked } = nodeData.split.safeParse(data);
  return [...(checked?.variants ?? []).map(({ key }) => key), 'default'];
}

/** A cycle without a wait would run for ever, and so would one whose waits end at once. */
function cycleErrors(graph: Graph): FieldError[] {
  const free = graph.nodes.filter((node) => !holdsLead(node));
  const isFree = new Set(free.map(({ nodeId }) => nodeId));
  const inCycle = free.filter(({ nodeId }) => {
    const reached = new Set(graph.targets(nodeId).filter((target) => isFree.has(target)));
    for (const one of reached) for (const target of graph.targets(one)) if (isFree.has(target)) reached.add(target);
    return reached.has(nodeId);
  });
  const tooShort = inCycle.find(({ type }) => type === 'wait' || type === 'wait_for_event');
  if (tooShort)
    return [
      { field: of(tooShort, 'duration'), message: 'Must be at least one minute, because the node is in a cycle' },
    ];
  return inCycle
    .slice(0, 1)
    .map((node) => ({ field: of(node), message: 'Is in a cycle without a wait; add a wait node to the cycle' }));
}
