import { aPerson, publish, until } from '@tandem/testing';
import type { Analytics } from '../../analytics.test-service.ts';
import { report, type Version } from '../../records.test-service.ts';

/** A tenant with leads, engagement events and saved cohorts. */
export function aTenant(service: Analytics, caller: Parameters<Analytics['as']>[0] = {}) {
  const api = service.as(caller);
  const told = { service, tenantId: api.caller.tenantId as number };
  const get = async (id: string) => (await api.getCohortDefinition({ params: { id } })).data;
  return {
    api,
    told,
    lead: (version: Version, name = 'lead.created') =>
      report(told, name, version, { data: { email: 'a@b.example', source: null, opportunityId: '1' } }),
    /** An open deal of a lead. */
    deal: (leadId: string) =>
      report(
        told,
        'opportunity.created',
        { id: leadId, version: 1, leadId, pipelineId: '1', stage: 'prospecting', createdAt: '2026-03-02T10:00:00Z' },
        { data: { value: 1, stage: 'prospecting' } },
      ),
    /** Erases a person; resolves to the numbers of erased records. */
    async erase(person: Parameters<typeof aPerson>[0]) {
      await publish(told, 'personal_data.erasure_requested', {
        target: { type: 'erasure', id: 1 },
        data: { person: aPerson(person), services: ['analytics'] },
        record: { id: '1' },
      });
      const done = await until('analytics has erased its data', async () => {
        await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person'`);
        return service.events.find(
          ({ name, tenantId }) => name === 'personal_data.erased' && String(tenantId) === String(told.tenantId),
        );
      });
      return (done.data as { erased: object }).erased;
    },
    async happened(leadId: string, type: string, fields: object = {}) {
      const { status } = await api.recordEvent({ body: { leadId, eventType: type, ...fields } });
      expect(status).toBe(201);
    },
    /** Waits until everything that was reported is counted. */
    async counted() {
      await report(told, 'partner.deleted', { id: '999', version: 1 });
      await until('everything is counted', async () => {
        return (await service.sqlWithin(api.caller, 'SELECT 1 FROM partner_fact WHERE id = 999')).length > 0;
      });
    },
    async save(fields: object = {}): Promise<string> {
      const body = { name: crypto.randomUUID(), filter: { sources: ['web'] }, ...fields };
      const reply = await api.createCohortDefinition({ body });
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      return reply.data.id;
    },
    get,
    /** Waits until the leads of a static cohort are stored. */
    ready: (id: string) =>
      until('the leads are counted', async () => {
        const cohort = await get(id);
        return cohort.status === 'counting' ? undefined : cohort;
      }),
    /** The number of leads that the built-in funnel counts. */
    async size(cohortId: string): Promise<number> {
      const { status, data, body } = await api.getFunnel({
        query: { dateFrom: '2026-01-01', dateTo: '2026-12-31', cohortId },
      });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return data.steps[0].count;
    },
  };
}
