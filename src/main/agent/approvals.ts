import type { ApprovalDecision, ApprovalRequest } from './session';

/** One question at a time, whose answer is bound to exactly that call and counts once. */
export class Approvals {
  #open: { request: ApprovalRequest; settle: (decision: ApprovalDecision | undefined) => void } | undefined;
  /** Tools that were allowed for as long as this run is open here. */
  readonly forRun = new Set<string>();

  get current(): ApprovalRequest | undefined {
    return this.#open?.request;
  }

  /** Resolves with the person's decision, or undefined when the question was withdrawn. */
  ask(request: ApprovalRequest): Promise<ApprovalDecision | undefined> {
    return new Promise((resolve) => {
      this.#open = {
        request,
        settle: (decision) => {
          this.#open = undefined;
          resolve(decision);
        },
      };
    });
  }

  /** false: no such question is open. */
  answer(hash: string, decision: ApprovalDecision): boolean {
    if (this.#open?.request.hash !== hash) return false;
    this.#open.settle(decision);
    return true;
  }

  withdraw(): void {
    this.#open?.settle(undefined);
  }
}
