import { personalDataServices } from '@tandem/contract';
import { dataServices, internalAdmin } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { openTables, type Tables, until } from '@tandem/testing';
import { asOperator, operatorClient } from './operator.ts';

// The data of one person is exported from all services and erased in all of them.

const person = {
  email: 'ottoline.quirke@example.net',
  firstName: 'Ottoline',
  lastName: 'Quirke',
  phone: '+442079460018',
};
const fullName = `${person.firstName} ${person.lastName}`;
// Not searched: replies under an Idempotency-Key are encrypted, and outbox and jobs only hold what is on its way.
const passing = ['platform.idempotency_key', 'platform.outbox', 'platform.job'];

let fleet: TestFleet;
let receiver: Receiver;
let tenant: TestTenant;
let databases: Record<string, Tables>;
beforeAll(async () => {
  fleet = await startFleet({ gateways: 1 });
  receiver = await startReceiver();
  tenant = await aTenant(fleet, { plan: 'enterprise' });
  const open = async (name: string) =>
    [name, await openTables(fleet.environment[name]?.['DATABASE_URL'] as string)] as const;
  databases = Object.fromEntries(await Promise.all(['identity', ...dataServices].map(open)));
}, 240_000);
afterAll(async () => {
  await Promise.all(Object.values(databases ?? {}).map((one) => one.close()));
  await receiver?.close();
  await fleet?.stop();
}, 90_000);

/** The tables of the fleet that contain one of these texts, also inside of bytes. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [service, tables] of Object.entries(databases)) {
    const names = Object.keys(await tables.states()).filter(
      (name) => !name.endsWith('_seq') && !passing.includes(name),
    );
    for (const name of names) {
      const patterns = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')]);
      const conditions = patterns.map((text) => `row::text ILIKE '%${text}%'`).join(' OR ');
      const [{ rows }] = (await tables.sql<{ rows: number }>(
        `SELECT count(*)::int AS rows FROM ${name} AS row WHERE ${conditions}`,
      )) as [{ rows: number }];
      if (rows) found.push(`${service} ${name}`);
    }
  }
  return found.sort();
}

/** Lists of which some records name the person. */
const exportSources = ['leads', 'events', 'tasks', 'opportunities', 'enrollments', 'certificates', 'audit'] as const;

interface Learned {
  courseId: string;
  certificateId: string;
  code: string;
}

/** Lets the person complete a course by an assignment, which is graded, and get a certificate. */
async function learn(leadId: string): Promise<Learned> {
  const { owner } = tenant;
  const { data: course } = await owner.createCourse({
    body: { title: 'Selling', certificate: { title: 'Certified seller' } },
  });
  const params = { id: course.id };
  const { data: lesson } = await owner.createLesson({ params, body: { title: 'Your plan', type: 'assignment' } });
  await owner.publishCourse({ params });
  const { data: enrollment } = await owner.createEnrollment({ body: { courseId: course.id, learnerId: leadId } });
  const { data: attempt } = await owner.startAttempt({ params: { id: enrollment.id, lessonId: lesson.id } });
  await owner.submitAttempt({ params: { id: attempt.id }, body: { text: `The plan of ${fullName}` } });
  await owner.gradeAttempt({ params: { id: attempt.id }, body: { score: 95, feedback: `Well done, ${fullName}` } });
  const { certificateId } = (await owner.getEnrollment({ params: { id: enrollment.id } })).data;
  const certificate = await until('the certificate has the name', async () => {
    const { data } = await owner.getCertificate({ params: { id: certificateId as string } });
    return data.learnerName === fullName && data;
  });
  return { courseId: course.id, certificateId: certificate.id, code: certificate.code };
}

/** Brings data of the person into every service. */
async function spread(): Promise<{ leadId: string; dealId: string; learned: Learned }> {
  const { api, owner } = tenant;
  await owner.createWebhook({ body: { url: receiver.url, events: ['*'] } });
  const lead = (await api.createLead({ body: { ...person, customFields: { nickname: 'Otti Quirke' } } })).data;
  const double = (await api.createLead({ body: { ...person, email: 'o.quirke@example.org' } })).data;
  await api.mergeLeads({ params: { id: lead.id }, body: { mergeIds: [double.id] } });
  const leadId = lead.id;
  await api.updateLead({ params: { id: leadId }, body: { lastName: 'Quirke', tags: ['Quirke family'] } });
  const me = (await owner.getMe()).data.user.id;
  const colleague = await owner.createUser({
    body: {
      email: 'colleague@example.com',
      password: 'correct horse battery',
      firstName: 'Alan',
      lastName: 'Turing',
      roleId: (await owner.listRoles()).data.find(({ name }) => name === 'Admin')?.id as string,
    },
  });
  await owner.assignLead({ params: { id: leadId }, body: { assignedTo: colleague.data.id } });
  const task = await owner.createTask({ body: { title: `Call ${fullName}`, leadId } });
  await owner.createSubtask({ params: { id: task.data.id }, body: { title: `Ask ${fullName}` } });
  await owner.createActivity({ body: { type: 'call', leadId, subject: `With ${fullName}`, body: person.phone } });
  const start = Date.now() + 86_400_000;
  await owner.createCalendarEvent({
    body: {
      title: `Demo for ${fullName}`,
      startAt: new Date(start).toISOString(),
      endAt: new Date(start + 3_600_000).toISOString(),
      timezone: 'UTC',
      leadId,
      attendees: [{ userId: me }, { email: person.email, name: fullName }],
    },
  });
  const learned = await learn(leadId);
  const deal = (await api.convertLead({ body: { leadId, value: 500, currency: 'EUR' } })).data;
  const dealId = deal.id;
  await api.updateOpportunity({
    params: { id: dealId },
    body: { name: `Deal with ${fullName}`, notes: `${fullName} decides`, customFields: { buyer: fullName, seats: 5 } },
  });
  await api.recordEvent({ body: { eventType: 'email_open', leadId, properties: { to: person.email } } });
  await owner.indexDocument({ body: { type: 'lead', id: 'crm-of-ours-1', data: { email: person.email } } });
  await owner.createSuppression({ body: { channel: 'email', value: person.email, note: `Called ${fullName}` } });
  const form = new FormData();
  form.set('entityType', 'lead');
  form.set('entityId', leadId);
  form.set('file', new Blob([`Offer for ${fullName}`], { type: 'text/plain' }), `offer-${person.lastName}.txt`);
  await fetch(`${fleet.baseUrl}/v1/files/upload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tenant.accessToken}`, 'X-Tenant-Id': tenant.id },
    body: form,
  });
  const { jobId } = (await owner.createLeadExport({ body: { format: 'csv' } })).data;
  await until(
    'the file is exported',
    async () => (await owner.getJob({ params: { id: jobId } })).data.status === 'completed',
  );
  for (const source of exportSources) {
    const { data } = await owner.createExport({ body: { source, format: 'json' } });
    const params = { id: data.id };
    await until(`${source} are exported`, async () => (await owner.getExport({ params })).data.status === 'completed');
  }
  return { leadId, dealId, learned };
}

it('the data of a person is exported from and erased in every service, and what remains can be verified', async () => {
  const { api, owner } = tenant;
  const { leadId, dealId, learned } = await spread();
  const services = ['analytics', 'campaign', 'crm', 'files', 'identity', 'integrations', 'search', 'training'];
  await until('every service has data of the person', async () => {
    const { data } = await owner.exportLeadData({ params: { id: leadId } });
    const filled = data.services.filter(({ sections }) => sections.some(({ total }) => total > 0));
    return services.every((name) => filled.some(({ service }) => service === name));
  });
  const { data: exported } = await owner.exportLeadData({ params: { id: leadId } });
  expect(exported.services.map(({ service }) => service).sort()).toEqual([...personalDataServices]);
  expect(exported.mergedLeads).toHaveLength(1);
  const tasks = exported.services
    .find(({ service }) => service === 'crm')
    ?.sections.find(({ name }) => name === 'tasks');
  expect(tasks?.records).toMatchObject([{ title: `Call ${fullName}`, leadId }]);
  const before = await tablesWith([person.email, person.lastName]);
  expect(before).toEqual(
    expect.arrayContaining([
      'analytics public.export_chunk',
      'crm public.lead',
      'integrations public.event',
      'search public.document',
      'training public.attempt',
      'training public.certificate',
    ]),
  );

  const { status, data: job } = await owner.eraseLead({ params: { id: leadId } });
  expect(status).toBe(202);
  await expect(api.getLead({ params: { id: leadId } })).rejects.toMatchObject({ status: 404 });
  await expect(owner.eraseLead({ params: { id: leadId } })).rejects.toMatchObject({ status: 404 });
  // Twice the time between the two runs of a service. The database is asked, because the plan limits calls.
  await until(
    'all services have erased their data',
    async () => (await databases['crm']?.sql('SELECT 1 FROM erasure WHERE completed_at IS NOT NULL'))?.length === 1,
    120_000,
  );
  const done = await until('the job is completed', async () => {
    const { data } = await owner.getJob({ params: { id: job.jobId } });
    return data.status === 'completed' && data;
  });
  const { services: erased } = done.result as { services: Record<string, Record<string, number>> };
  expect(Object.keys(erased).sort()).toEqual([...personalDataServices]);
  expect(erased).toMatchObject({
    analytics: { engagementEvents: 1 },
    files: { files: 1 },
    search: { documents: 1 },
    training: { attempts: 1, certificates: 1 },
  });

  expect(await tablesWith([person.email, person.lastName, 'o.quirke@example.org'])).toEqual([]);
  // The deal stays, without the person.
  const { data: deal } = await api.getOpportunity({ params: { id: dealId } });
  expect(deal).toMatchObject({ value: 500, name: 'Erased', notes: null, customFields: { seats: 5 } });
  // The course keeps its figures, and the certificate its page.
  const { data: statistics } = await owner.getCourseStatistics({ params: { id: learned.courseId } });
  expect(statistics).toMatchObject({ enrolled: 1, completed: 1, averageScore: 95 });
  const page = await (await fetch(`${fleet.baseUrl}/certificates/${learned.code}`)).text();
  expect(page).toContain('was removed');
  expect(page).not.toContain(person.lastName);
  const certificate = await until('the certificate is in the audit log', async () => {
    const query = { targetType: 'lead' as const, targetId: leadId, action: 'lead.complete_erasure' };
    return (await owner.listAuditLogs({ query })).data[0];
  });
  expect(certificate.changes).toEqual({ erased: { from: null, to: erased } });
  const tenantId = createIdCodec(fleet.environment['gateway']?.['IDS_ALPHABET'] as string).decode(
    'tenant',
    undefined,
    tenant.id,
  );
  const verify = operatorClient(fleet, internalAdmin).verifyAuditChain;
  expect(await verify({ body: { tenantId: tenantId as number }, as: asOperator })).toMatchObject({ intact: true });
  // The address is free for a new lead.
  expect((await api.createLead({ body: person })).status).toBe(201);
}, 300_000);
