import { id, operations } from '@tandem/contract';
import { z } from 'zod';
import { compileRoutes } from './routes.ts';

const row = { permission: 'leads:read', summary: '', reply: z.object({}), message: '' } as const;
const rows = operations({
  list: { ...row, method: 'GET', path: '/v1/leads' },
  create: { ...row, method: 'POST', path: '/v1/leads', emits: [] },
  duplicates: { ...row, method: 'GET', path: '/v1/leads/duplicates' },
  get: { ...row, method: 'GET', path: '/v1/leads/:id', params: z.object({ id: id('lead') }) },
  status: { ...row, method: 'POST', path: '/v1/leads/:id/status', params: z.object({ id: id('lead') }), emits: [] },
  bulk: { ...row, method: 'POST', path: '/v1/agents/:id/runs:bulk', params: z.object({ id: id('user') }), emits: [] },
  bulkCreate: { ...row, method: 'POST', path: '/v1/leads:bulk-create', emits: [] },
});
const match = compileRoutes(Object.values(rows).map((one) => ({ row: one, service: 'crm' })));
const found = (method: string, path: string) => {
  const result = match(method, path);
  return result && 'route' in result ? [result.route.row.id, ...result.values] : result?.allowed;
};

describe('the matcher', () => {
  it.each([
    ['GET', '/v1/leads', ['list']],
    ['HEAD', '/v1/leads', ['list']],
    ['GET', '/v1/leads/duplicates', ['duplicates']],
    ['GET', '/v1/leads/abc', ['get', 'abc']],
    ['GET', '/v1/leads/a%20b', ['get', 'a b']],
    ['POST', '/v1/leads/duplicates/status', ['status', 'duplicates']],
    ['POST', '/v1/agents/x/runs:bulk', ['bulk', 'x']],
    ['POST', '/v1/agents/x/runs%3Abulk', ['bulk', 'x']],
    ['POST', '/v1/leads:bulk-create', ['bulkCreate']],
    ['POST', '/v1/leads%3Abulk-create', ['bulkCreate']],
    ['DELETE', '/v1/leads', ['GET', 'POST', 'HEAD', 'OPTIONS']],
    ['GET', '/v1/leads/', undefined],
    ['GET', '/v1/leads//status', undefined],
    ['GET', '/v1/leads/%E0%A4%A', undefined],
    ['GET', '/v1/planets', undefined],
    ['GET', '/', undefined],
  ])('%s %s matches %j', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected);
  });

  it('rejects two rows with the same method and path', () => {
    const twice = [rows.list, rows.list].map((one) => ({ row: one, service: 'crm' }));
    expect(() => compileRoutes(twice)).toThrow('declared twice');
  });
});
