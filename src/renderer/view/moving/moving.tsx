import { AtWork } from './at-work';
import { ChooseRun } from './choose-run';
import { ForkDialog } from './fork';
import { JobDialog } from './job';
import { RepairDialog } from './repair';

/** What may lie over the window when runs are moved, made from others, mended or compared. */
export function Moving() {
  return (
    <>
      <AtWork />
      <JobDialog />
      <ForkDialog />
      <RepairDialog />
      <ChooseRun />
    </>
  );
}
