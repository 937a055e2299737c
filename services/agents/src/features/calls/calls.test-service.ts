import { type CallScript, type ProviderCall, until } from '@tandem/testing';
import { type Agents, type Api, aCaller, executionOf } from '../../agents.test-service.ts';

/** Helpers of tests of calls, for a service. */
export function callsOf(service: () => Agents) {
  const sql = (api: Api, text: string) => service().sqlWithin(api.caller, text);
  const jobsOf = (api: Api, name: string) => sql(api, `SELECT state, due_at FROM platform.job WHERE name = '${name}'`);
  /** Runs the caller for a lead that has this script. */
  const run = async (api: Api, ...scripts: CallScript[]) => {
    const lead = service().aLead();
    service().script(lead, ...scripts);
    const { data } = await api.runAgent({ params: { id: await aCaller(api) }, body: { leadId: String(lead) } });
    return { lead, id: data.id as string };
  };
  return {
    sql,
    jobsOf,
    run,
    /** The first call to a lead, once the provider has it. */
    placed: (lead: number): Promise<ProviderCall> => until('it is placed', () => service().callsTo(lead)[0]),
    /** A call that rings. */
    async aRingingCall(api: Api) {
      const { lead, id } = await run(api, 'held');
      await until('it rings', async () => (await executionOf(api, id)).output?.callStatus === 'ringing');
      return { lead, id, call: service().callsTo(lead)[0] as ProviderCall };
    },
    /** Lets the checks of the calls of a tenant be due, as if this time had passed. */
    async check(api: Api, { after = '50 s', isLate = false } = {}) {
      await until('its check is scheduled', async () => (await jobsOf(api, 'check-call')).length > 0);
      await sql(api, `UPDATE phone_call SET started_at = started_at - interval '${after}'`);
      for (const call of service().line.calls)
        call.createdAt = new Date(call.createdAt.getTime() - Number.parseInt(after, 10) * 1_000);
      if (isLate) await sql(api, `UPDATE phone_call SET deadline = now() - interval '1 s'`);
      await sql(api, `UPDATE platform.job SET due_at = now() WHERE name = 'check-call'`);
    },
  };
}

/** Waits until an execution has a status, and returns it. */
export function inStatus(api: Api, id: string, status: string) {
  return until(`the execution is ${status}`, async () => {
    const execution = await executionOf(api, id);
    return execution.status === status && execution;
  });
}
