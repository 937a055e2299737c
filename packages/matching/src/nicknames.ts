/** Given names that the same person uses: each line is one name with its short forms. */
const groups = [
  'alexander alex sascha sasha xander aleksandr aleksander aleksandar oleksandr',
  'alexandra alex sandra sasha lexi',
  'andrew andy drew',
  'andreas andi',
  'anthony tony',
  'antonio tonio toni',
  'benjamin ben benny',
  'bernard bernie',
  'catherine katherine kathryn cathy kathy kate katie cat',
  'charles charlie chuck',
  'christian chris',
  'christine christina chris tina chrissy',
  'christopher chris topher kit',
  'daniel dan danny',
  'david dave',
  'deborah debbie deb',
  'dmitri dmitry dmitrii dmitriy dima',
  'dorothy dot dottie',
  'edward ed eddie ted ned',
  'elizabeth elisabeth liz beth betty lisa eliza',
  'eugene gene evgeny evgeni evgenii yevgeny',
  'ferdinand ferdi',
  'francis frank fran',
  'frederick frederic fred freddy friedrich fritz',
  'gregory greg',
  'jacob jake',
  'jakob jack',
  'james jim jimmy jamie',
  'jennifer jen jenny',
  'johannes hannes hans johann',
  'john jon johnny jack',
  'jonathan jon nathan',
  'joseph joe joey josef sepp',
  'josephine josie jo',
  'joshua josh',
  'kenneth ken kenny',
  'lawrence larry laurence',
  'leonard len leo lenny',
  'margaret maggie meg peggy margie',
  'matthew matt matthias',
  'maximilian max',
  'michael mike mick mickey mikhail michail mikhael',
  'nathaniel nathan nate',
  'nicholas nick nicolas nikolas nikolai',
  'patricia pat patty trish tricia',
  'patrick pat paddy',
  'peter pete',
  'philip phillip phil philipp',
  'raymond ray',
  'rebecca becky becca',
  'richard rich rick dick ricky',
  'robert rob bob bobby robbie bert',
  'ronald ron ronnie',
  'samuel sam sammy',
  'samantha sam',
  'sergei sergey serge sergio',
  'stephen steven steve stefan stephan',
  'susan sue susie suzanne susanne',
  'tatiana tatyana tanya tania',
  'theodore ted teddy theo theodor',
  'thomas tom tommy',
  'timothy tim timmy',
  'valerie val',
  'victoria vicky vic',
  'vincent vince vinny',
  'vladimir vova volodymyr wladimir',
  'walter walt',
  'wilhelm willi helmut',
  'william will bill billy willy liam',
  'yulia iuliia julia yuliya',
  'yuri iurii yury jurij',
  'zachary zach zack',
].map((line) => line.split(' '));

const groupsOf = new Map<string, number[]>();
for (const [group, names] of groups.entries())
  for (const name of names) groupsOf.set(name, [...(groupsOf.get(name) ?? []), group]);

/** Whether one name is a usual form of the other. */
export function areNicknames(one: string, other: string): boolean {
  const ofOther = groupsOf.get(other);
  return ofOther !== undefined && (groupsOf.get(one) ?? []).some((group) => ofOther.includes(group));
}

/** The full name for a short form; the first one of several. */
export function fullName(name: string): string {
  const [group] = groupsOf.get(name) ?? [];
  return (group !== undefined && groups[group]?.[0]) || name;
}
