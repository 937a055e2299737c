import { BlockedAddressError } from '@tandem/outgoing';
import type { Tools, Tx } from '../../../handler.ts';
import { leadValues } from '../../templates/template-data.ts';
import { secretsOf } from '../../workflow-secrets/secret.ts';
import { signatureHeaders } from '../../workflow-secrets/signature.ts';
import { dataOf } from '../graph.ts';
import type { Outcome } from './outcome.ts';
import { retryAt } from './retry.ts';
import type { ToSend } from './to-send.ts';

type WebhookTools = Pick<Tools, 'ids' | 'seal' | 'webhooks'>;

// Client errors that may end by themselves: timeout, too early, too many requests.
const temporary = [408, 425, 429];

/**
 * Posts a step to the address of its node, signed with the secret of the workflow. Repetitions have the same `webhook-id`,
 * so that the other system can ignore a step that it has seen.
 */
export async function callWebhook(tools: WebhookTools, tx: Tx, one: ToSend): Promise<Outcome> {
  const { node, due } = one;
  const { url } = dataOf(node, 'webhook');
  const input = { url };
  const row = await tx.workflow.findFirst({ where: { id: due.workflowId } });
  const id = `${tools.ids.encode('workflow_execution', due.tenantId, due.executionId)}-${one.step}`;
  const body = JSON.stringify(bodyOf(tools, one));
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1',
    ...signatureHeaders({ id, timestamp, body }, row ? secretsOf(tools, row) : []),
  };
  try {
    const response = await tools.webhooks.fetch(url, { method: 'POST', headers, body });
    await response.body?.cancel();
    const { status } = response;
    if (status >= 200 && status < 300) return { is: 'done', input, result: { status } };
    if (status < 500 && !temporary.includes(status))
      return { is: 'skipped', input, result: { status }, skipReason: 'refused' };
    return later(one, input, { status });
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause : (error as Error);
    if (reason instanceof BlockedAddressError)
      return { is: 'skipped', input, result: { error: reason.message }, skipReason: 'blocked_address' };
    return later(one, input, {
      error: `${message}${cause instanceof Error ? `: ${cause.message}` : ''}`.slice(0, 500),
    });
  }
}

/** An address that does not answer for about a day is given up; the rest of the workflow does not depend on it. */
function later({ due }: ToSend, input: object, result: object): Outcome {
  const until = retryAt(due.attempts);
  if (until) return { is: 'postponed', until, reason: 'webhook_unavailable', isFault: true };
  return { is: 'skipped', input, result, skipReason: 'not_delivered' };
}

function bodyOf({ ids }: Pick<Tools, 'ids'>, { due, node, step, facts }: ToSend) {
  const { tenantId, environment, workflowId, executionId } = due;
  const { lead, payload, now } = facts;
  return {
    type: 'workflow.webhook',
    timestamp: now.toISOString(),
    data: {
      environment,
      workflowId: ids.encode('workflow', tenantId, workflowId),
      executionId: ids.encode('workflow_execution', tenantId, executionId),
      nodeId: node.nodeId,
      step,
      lead: { id: ids.encode('lead', tenantId, lead.id), ...leadValues(lead) },
      payload,
    },
  };
}
