import { fuse } from './fuse.ts';

const match = (key: number) => ({ key, score: 0.5, isWhole: false });
const similar = (key: number) => ({ key, similarity: 0.5 });

describe('the fused order', () => {
  it('is that of the sums, however close they are to each other or to 1', () => {
    const close = fuse({ keyword: [match(1), match(2)], similar: [similar(2), similar(1)], ratio: 0.55 });
    expect(close.map(({ key, score }) => [key, score])).toEqual([
      [2, 0.99],
      [1, 0.99],
    ]);
    const many = Array.from({ length: 200 }, (_, n) => similar(1 + n));
    const small = fuse({ keyword: [], similar: many, ratio: 0.01 });
    expect(small.map(({ key }) => key)).toEqual(many.map(({ key }) => key));
  });

  it('has the documents that the question equals first', () => {
    const keyword = [match(1), { ...match(2), isWhole: true }];
    expect(fuse({ keyword, similar: [similar(1)], ratio: 0.3 })[0]).toMatchObject({ key: 2, score: 1 });
  });
});
