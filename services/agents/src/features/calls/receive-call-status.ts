import type { calls } from '@tandem/agents-contract';
import { fail, isRemoved } from '@tandem/service';
import { type CallReport, endedStatuses } from '@tandem/telephony';
import type { Handler, Tools } from '../../handler.ts';
import { type CallTransaction, endAttempt, lockWaiting } from './end-call.ts';
import {
  answered,
  type CallKeyValue,
  callOfToken,
  checkCallJob,
  hangUpCallJob,
  outcomeOf,
  type PhoneCallRecord,
  statusUrl,
} from './phone-call.ts';

interface Found {
  key: CallKeyValue;
  /** Undefined for a report that says nothing about the status. */
  report: CallReport | undefined;
}

export const receiveCallStatus = (tools: Tools): Handler<typeof calls.receiveCallStatus, Found> => ({
  async check({ params: { token }, body: { bytes, headers } }) {
    if (!tools.telephony.isEnabled) throw fail('not_found');
    const url = statusUrl(tools.publicUrl, token);
    const report = tools.telephony.readReport(url, bytes, headers['x-twilio-signature'] ?? '');
    if (report === 'forged') throw fail('invalid_signature');
    const key = callOfToken(tools, token);
    if (!key) throw fail('not_found');
    return { key, report };
  },
  async run({ found: { key, report }, inTenant }) {
    if (!report) return { received: false };
    const { tenantId, environment } = key;
    const received = await inTenant({ tenantId, environment }, async (inside) =>
      // Nothing is stored any more for a tenant whose data is removed; the provider must not repeat the report.
      (await isRemoved(inside.tx)) ? false : applyReport(inside, tools, { key, report }),
    );
    return { received };
  },
});

/** Applies a report to its call, unless it is older than another one or the call has ended. */
async function applyReport(
  inside: CallTransaction,
  tools: Tools,
  { key, report }: { key: CallKeyValue; report: CallReport },
): Promise<boolean> {
  const { tx, schedule } = inside;
  const call = await tx.phoneCall.findFirst({ where: { id: key.phoneCallId } });
  const isGoing = !endedStatuses.has(report.status);
  // The person was erased.
  if (!call && isGoing) await schedule(hangUpCallJob, [{ callId: report.callId }]);
  if (!call) return false;
  const isWaiting = await lockWaiting(tx, call);
  const row = await store(inside, tools, { call, report });
  if (!row) {
    // A call that was placed after its attempt had been ended without it.
    const isUnknown = call.endedAt !== null && call.callId !== report.callId;
    if (isUnknown && isGoing) await schedule(hangUpCallJob, [{ callId: report.callId }]);
    return false;
  }
  if (row.endedAt) {
    const durationSeconds = report.durationSeconds ?? 0;
    if (isWaiting)
      await endAttempt(inside, tools, { key, call: row, ended: { ...outcomeOf(report), durationSeconds } });
    return true;
  }
  // The execution was cancelled before the id of the call was known.
  if (!isWaiting) await schedule(checkCallJob, [key]);
  else await showProgress(inside, row);
  return true;
}

async function store(
  { tx }: CallTransaction,
  { telephony }: Tools,
  { call, report }: { call: PhoneCallRecord; report: CallReport },
): Promise<PhoneCallRecord | undefined> {
  const { id } = call;
  const { callId, status, durationSeconds, sequence } = report;
  const [row] = await tx.phoneCall.updateManyAndReturn({
    where: { id, endedAt: null, sequence: { lt: sequence }, OR: [{ callId: null }, { callId }] },
    data: {
      ...{ callId, status, sequence, durationSeconds },
      ...(endedStatuses.has(status) && { endedAt: new Date() }),
    },
  });
  if (row && status === 'in-progress')
    await tx.phoneCall.updateMany({ where: { id, answeredAt: null }, data: answered(telephony, call) });
  return row;
}

async function showProgress({ tx }: CallTransaction, call: PhoneCallRecord): Promise<void> {
  const { callId, status: callStatus, attempt: attempts } = call;
  await tx.execution.updateMany({
    where: { id: call.executionId },
    data: { output: { callId, callStatus, isSimulated: false, attempts } },
  });
}
