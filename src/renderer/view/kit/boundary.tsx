import { Component, type ErrorInfo, type ReactNode } from 'react';

/**
 * Holds what cannot be shown to its own place: a fault in one item must not take the window away. `again`: when it
 * changes, showing is tried anew.
 */
export class Boundary extends Component<
  { children: ReactNode; instead: (error: unknown) => ReactNode; again?: unknown },
  { failed: { error: unknown; again: unknown } | undefined }
> {
  override state: { failed: { error: unknown; again: unknown } | undefined } = { failed: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { failed: { error, again: undefined } };
  }

  override componentDidCatch(error: unknown, _info: ErrorInfo): void {
    this.setState({ failed: { error, again: this.props.again } });
  }

  override componentDidUpdate(): void {
    const { failed } = this.state;
    if (failed && failed.again !== undefined && failed.again !== this.props.again)
      this.setState({ failed: undefined });
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead(this.state.failed.error) : this.props.children;
  }
}
