import { anybody, aTenant, password, type Service, startIdentity } from './identity.test-service.ts';
import { queue } from './passwords.ts';

describe('the queue for passwords', () => {
  it('runs a few at once, the others in their order, and sends away who would wait too long', async () => {
    const inTurn = queue({ atOnce: 2, waitingMax: 3 });
    const began: number[] = [];
    const ends: (() => void)[] = [];
    const work = (number: number) =>
      inTurn(() => {
        began.push(number);
        return new Promise<number>((resolve) => ends.push(() => resolve(number)));
      });
    const given = [1, 2, 3, 4, 5].map(work);
    await expect(work(6)).rejects.toMatchObject({ status: 503 });
    expect(began).toEqual([1, 2]);
    for (let done = 0; done < 5; done++) {
      ends[done]?.();
      await given[done];
      await new Promise((resolve) => setImmediate(resolve));
      expect(began.length).toBe(Math.min(5, done + 3));
    }
    await expect(Promise.all(given)).resolves.toEqual([1, 2, 3, 4, 5]);
    expect(began).toEqual([1, 2, 3, 4, 5]);
  });

  it('goes on after a failure', async () => {
    const inTurn = queue({ atOnce: 1, waitingMax: 1 });
    await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(inTurn(async () => 1)).resolves.toBe(1);
  });
});

describe('an address in many tenants', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startIdentity();
  });
  afterAll(() => service?.close());

  it('costs a sign-in only a few passwords, and each tenant is reached by its id', async () => {
    const owner = { email: 'many@example.com', password: 'of the stranger', firstName: 'Ada', lastName: 'Lovelace' };
    for (let tenant = 0; tenant < 5; tenant++)
      await anybody(service).createTenant({ body: { name: 'Squatter', owner } });
    const { tenant } = await aTenant(service, owner.email);
    const login = (more: object) => anybody(service).login({ body: { email: owner.email, password, ...more } });
    expect((await login({})).status).toBe(401);
    expect((await login({ tenantId: tenant.id })).status).toBe(200);
  });
});
