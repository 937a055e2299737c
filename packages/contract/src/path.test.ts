import { fillPath, pathParameters } from './path.ts';

it('fills the parameters of a path in order, and leaves its verb', () => {
  const path = '/v1/agents/:id/runs/:runId:stop/all:now';
  const asked: string[] = [];
  const filled = fillPath(path, (field) => asked.push(field));
  expect([filled, asked, pathParameters(path)]).toEqual([
    '/v1/agents/1/runs/2:stop/all:now',
    ['id', 'runId'],
    ['id', 'runId'],
  ]);
});

it('uses a value as it is', () => {
  expect(fillPath('/v1/leads/:id', () => '$1{x}')).toBe('/v1/leads/$1{x}');
});
