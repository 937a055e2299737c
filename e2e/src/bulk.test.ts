import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ gateways: 1 });
  tenant = await aTenant(fleet, { plan: 'starter' });
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

it('a client changes leads by a filter, follows the job, and downloads what could not be changed', async () => {
  const { api, owner } = tenant;
  const person = { firstName: 'Ada', lastName: 'Lovelace', tags: ['fair'] };
  const [fine, converted] = [
    (await api.createLead({ body: { ...person, email: 'ada@example.com' } })).data,
    (await api.createLead({ body: { ...person, email: 'ada@example.org' } })).data,
  ];
  await api.convertLead({ body: { leadId: converted.id } });
  const body = { filter: { tag: 'fair' }, expectedCount: 2, change: { status: 'contacted' as const } };
  const { status, data } = await owner.bulkUpdateLeads({ body });
  expect(status).toBe(202);
  if (!('jobId' in data)) throw new Error('The filter started no job');
  const params = { id: data.jobId };
  await until('the job is complete', async () => (await owner.getJob({ params })).data.status === 'completed');
  expect((await owner.getJob({ params })).data.result).toEqual({
    succeeded: 1,
    failed: 1,
    errors: `/v1/jobs/${data.jobId}/errors`,
  });

  const headers = { Authorization: `Bearer ${tenant.accessToken}`, 'X-Tenant-Id': tenant.id };
  const file = await fetch(`${fleet.baseUrl}/v1/jobs/${data.jobId}/errors`, { headers });
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(await file.text()).toMatch(new RegExp(`^id,code,message,fields\\r\\n${converted.id},lead_converted,`));

  const entry = await until('the audit log has the change', async () => {
    const query = { targetId: fine.id, targetType: 'lead' as const, action: 'lead.update' };
    return (await owner.listAuditLogs({ query })).data[0];
  });
  expect(entry).toMatchObject({ actor: { type: 'user' }, changes: { status: { from: 'new', to: 'contacted' } } });
}, 60_000);

it('a client downloads the learners whom a job could not enrol', async () => {
  const { api } = tenant;
  const { data: course } = await api.createCourse({ body: { title: 'Selling', audience: 'both' } });
  await api.createLesson({ params: { id: course.id }, body: { title: 'One', content: '<p>Ask</p>' } });
  await api.publishCourse({ params: { id: course.id } });
  const { data: lead } = await api.createLead({
    body: { firstName: 'Ada', lastName: 'King', email: 'king@example.com' },
  });
  // Named more often than a request enrols at once; the learner is enrolled once.
  const learnerIds = Array.from({ length: 260 }, () => lead.id);
  const { status, data } = await api.bulkCreateEnrollments({ body: { courseId: course.id, learnerIds } });
  expect(status).toBe(202);
  if (!('jobId' in data)) throw new Error('The learners started no job');
  const params = { id: data.jobId };
  await until('the job is complete', async () => (await api.getJob({ params })).data.status === 'completed');
  expect((await api.getJob({ params })).data.result).toMatchObject({ succeeded: 1, failed: 259 });
  const file = await fetch(`${fleet.baseUrl}/v1/jobs/${data.jobId}/errors`, { headers: { 'X-API-Key': tenant.live } });
  expect([file.status, (await file.text()).split('\r\n')[1]]).toEqual([
    200,
    expect.stringContaining('already_enrolled'),
  ]);
}, 60_000);
