import { until } from '@tandem/testing';
import { startSso, unique } from './sso.test-service.ts';

let sso: Awaited<ReturnType<typeof startSso>>;
beforeAll(async () => {
  sso = await startSso();
});
afterAll(() => sso?.close());

describe('the address of a linked user', () => {
  it('does not give the account to another person at the provider; the audit log names the attempt', async () => {
    const { tenant, domain } = await sso.aCompany();
    const email = `grace@${domain}`;
    const first = await sso.signIn(email);
    expect(first.reply.status).toBe(302);
    const { reply } = await sso.signIn(email, { name: 'Another Grace' });
    expect([reply.status, reply.body.code, reply.body.errors?.[0]]).toEqual([
      403,
      'sso_not_allowed',
      { field: 'email', message: expect.stringContaining('DELETE /v1/users/:id/sso') },
    ]);
    const { data: users } = await tenant.owner.listUsers({ query: { search: email } });
    const refused = await until('the event arrives', () =>
      sso.service.events.find((one) => one.name === 'user.login_failed' && one.tenantId === tenant.tenantId),
    );
    expect(refused.target).toMatchObject({ type: 'user', id: Number(users[0].id) });
    const again = await sso.signIn(email, {}, first.subject);
    expect(again.reply.status).toBe(302);
  });

  it('links the next person after an administrator unlinks the user, and sessions end', async () => {
    const { tenant, domain } = await sso.aCompany();
    const email = `grace@${domain}`;
    await sso.signIn(email);
    const [{ id }] = (await tenant.owner.listUsers({ query: { search: email } })).data;
    const lesser = tenant.as((await tenant.addUser('viewer')).id, ['users:manage']);
    expect((await lesser.unlinkUserSso({ params: { id } })).status).toBe(403);
    const unlink = () => tenant.owner.unlinkUserSso({ params: { id } });
    expect((await unlink()).data).toEqual({ id, deleted: true });
    expect((await unlink()).body.code).toBe('not_linked');
    const ended = await until('the session ends', () =>
      sso.service.events.find((one) => one.name === 'user.logged_out' && one.tenantId === tenant.tenantId),
    );
    expect(ended.data).toMatchObject({ userId: id, reason: 'sso_unlinked' });
    const { reply } = await sso.signIn(email, {}, unique());
    expect(reply.status).toBe(302);
    expect((await tenant.owner.listUsers({ query: { search: email } })).data).toHaveLength(1);
  });
});
