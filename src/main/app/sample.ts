/** A small household of files that every example request works on. */
export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'README.md': `# Garden club

Papers of a small garden club, to try Holdfast on. Change or delete anything here; nothing else depends on it.

- \`members.csv\`: who is in the club
- \`budget-2026.csv\`: what came in and went out
- \`minutes/\`: what was decided
- \`plan.txt\`: what is planned for spring
`,
  'members.csv': `name,since,plot,email
Ada Brandt,2019-04-02,12,ada@example.org
Bela Novak,2021-09-15,3,bela@example.org
Chiara Conti,2018-03-21,7,chiara@example.org
Dmitri Orlov,2023-05-30,9,dmitri@example.org
Esra Yilmaz,2020-02-11,4,esra@example.org
Femi Adeyemi,2024-08-01,15,femi@example.org
`,
  'budget-2026.csv': `date,what,amount
2026-01-10,membership fees,360.00
2026-01-22,water,-84.50
2026-02-03,seeds,-61.20
2026-02-14,tool repair,-35.00
2026-03-01,plant sale,212.75
2026-03-09,compost,-120.00
2026-03-28,insurance,-148.00
`,
  'plan.txt': `Spring plan

March: clean the water barrels, order compost, repair the fence at plot 9.
April: plant sale on the second Saturday. Bela brings the tables, Chiara makes the signs.
May: sow beans and pumpkins. TODO: ask Esra about the irrigation hose.
June: open garden day. TODO: write an invitation for the neighbours.
`,
  'minutes/2026-01-12.md': `# Minutes, 12 January 2026

Present: Ada, Bela, Chiara, Esra.

1. The water bill was higher than last year. Esra looks for the leak.
2. Membership fees stay at 60 a year.
3. TODO: Ada asks the town about a second compost bin.
`,
  'minutes/2026-03-02.md': `# Minutes, 2 March 2026

Present: Ada, Chiara, Dmitri, Femi.

1. The plant sale brought 212.75. Thanks to all who helped.
2. The leak was at plot 4 and is closed.
3. Dmitri repairs the fence when the wood comes.
4. TODO: Femi sets up the list of open plots.
`,
};
