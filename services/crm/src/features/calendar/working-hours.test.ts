import { type CrmDatabase, openCrmDatabase } from '../../crm.test-service.ts';
import { isAway, minutesOf, workingPeriods, worksAt } from './working-hours.ts';

const scope = { tenantId: 7, environment: 'live' as const };
const timezone = 'Europe/Berlin';
const weekly = (day: 'sunday' | 'monday', start: string, end: string) => ({
  day,
  from: minutesOf(start),
  to: minutesOf(end),
});

describe('workingPeriods', () => {
  const periodsOf = (hours: ReturnType<typeof weekly>[], from: string, to: string, zone = timezone) =>
    workingPeriods(
      { timezone: zone, weekly: hours, bufferBeforeMinutes: 0, bufferAfterMinutes: 0 },
      { from: new Date(from), to: new Date(to) },
    ).map((period) => [period.from.toISOString(), period.to.toISOString()]);

  it('keeps the clock times across clock changes', () => {
    expect(periodsOf([weekly('monday', '09:00', '17:00')], '2026-03-20T00:00:00Z', '2026-04-03T00:00:00Z')).toEqual([
      ['2026-03-23T08:00:00.000Z', '2026-03-23T16:00:00.000Z'],
      ['2026-03-30T07:00:00.000Z', '2026-03-30T15:00:00.000Z'],
    ]);
  });

  it('is an hour shorter or longer on the day of a clock change', () => {
    const night = [weekly('sunday', '00:00', '24:00')];
    const hours = ([from, to]: string[]) => (Date.parse(to as string) - Date.parse(from as string)) / 3_600_000;
    expect(periodsOf(night, '2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z').map(hours)).toEqual([23]);
    expect(periodsOf(night, '2026-10-24T00:00:00Z', '2026-10-27T00:00:00Z').map(hours)).toEqual([25]);
  });

  it('is limited to the period, also in zones far from UTC', () => {
    expect(
      periodsOf(
        [weekly('monday', '08:00', '10:00')],
        '2026-03-22T18:30:00Z',
        '2026-03-22T19:00:00Z',
        'Pacific/Kiritimati',
      ),
    ).toEqual([['2026-03-22T18:30:00.000Z', '2026-03-22T19:00:00.000Z']]);
  });
});

describe('worksAt and isAway', () => {
  let database: CrmDatabase;
  beforeAll(async () => {
    database = await openCrmDatabase();
  });
  afterAll(() => database?.close());
  const works = (userId: number, at: string) =>
    database.db.transaction(scope, () => worksAt(database.db.tx, userId, new Date(at), timezone));

  it('is Monday to Friday from nine to five in the zone of the tenant by default', async () => {
    const times = ['2026-03-23T07:59:00Z', '2026-03-23T08:00:00Z', '2026-03-30T07:00:00Z', '2026-03-30T15:00:00Z'];
    expect(await Promise.all(times.map((at) => works(1, at)))).toEqual([false, true, true, false]);
    expect(await works(1, '2026-03-28T10:00:00Z')).toBe(false);
  });

  it('follows the working hours and the time off of the user', async () => {
    const { db } = database;
    await db.transaction(scope, async () => {
      await db.tx.userAvailability.create({
        data: { userId: 2, timezone: 'Asia/Tokyo', weekly: [{ day: 'saturday', start: '10:00', end: '12:00' }] },
      });
      const [from, to] = [new Date('2026-03-27T15:00:00Z'), new Date('2026-03-28T15:00:00Z')];
      await db.tx.timeOff.create({ data: { userId: 2, from, to } });
    });
    expect(await works(2, '2026-03-21T01:30:00Z')).toBe(true);
    expect(await works(2, '2026-03-28T01:30:00Z')).toBe(false);
    const away = (at: string) => db.transaction(scope, () => isAway(db.tx, [1, 2], new Date(at)));
    expect([...(await away('2026-03-28T01:30:00Z'))]).toEqual([2]);
    expect([...(await away('2026-03-28T15:00:00Z'))]).toEqual([]);
  });
});
